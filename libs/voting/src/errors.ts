/** Thrown at start when there is no judge to ask. */
export class JudgeNotConfiguredError extends Error {
  override readonly name = 'JudgeNotConfiguredError';

  constructor() {
    super(
      'there is no judge: set server.judge_base_url and server.judge_model, or server.base_url and server.policy_model to judge with the policy itself',
    );
  }
}

/** Reason of the abort that gives up running votes when the app stops. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}
