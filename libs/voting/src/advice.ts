import {
  EngineAnswerError,
  EngineStatusError,
  EngineTimeoutError,
  EngineUnreachableError,
  type ChatReply,
  type EngineError,
} from '@app/engines';

/** What an operator has to mend after a failed call, with the setting's name; null where only time helps. */
export const adviceFor = (
  error: EngineError,
  judge: { readonly model: string; readonly host: string },
): string | null => {
  if (error instanceof EngineUnreachableError) {
    return `the judge at ${judge.host} cannot be reached: start it, or mend server.judge_base_url`;
  }
  if (error instanceof EngineTimeoutError) {
    return `the judge at ${judge.host} did not answer within ${error.timeoutMs} ms: raise judge.timeout_s, or lower judge.concurrency`;
  }
  if (error instanceof EngineAnswerError) {
    return `what answers at ${judge.host} is no OpenAI-compatible chat API: mend server.judge_base_url`;
  }
  return error instanceof EngineStatusError ? adviceForStatus(error, judge) : null;
};

const adviceForStatus = (
  { status, misconfigured, outage }: EngineStatusError,
  judge: { readonly model: string; readonly host: string },
): string | null => {
  if (status === 401 || status === 403) {
    return `the judge at ${judge.host} refuses the key (status ${status}): mend the key behind server.judge_api_key_env`;
  }
  if (status === 402) return `the account at ${judge.host} has nothing left to pay for the judge (status 402)`;
  if (misconfigured) {
    return `${judge.host} has no chat API here or no model ${JSON.stringify(judge.model)} (status ${status}): mend server.judge_base_url or server.judge_model`;
  }
  if (outage) return `the judge at ${judge.host} answers with status ${status}: judging waits until that is over`;
  return `the judge at ${judge.host} refuses a question (status ${status}): look at server.judge_model, its key, judge.max_tokens, judge.format, and the model's context length`;
};

/** The same for an answer without a verdict. */
export const adviceForForm = (reply: ChatReply): string =>
  reply.finishReason === 'length'
    ? "the judge's answer was cut off before its verdict: raise judge.max_tokens"
    : 'the judge answered without a verdict: set judge.format, or take a stronger server.judge_model';

/** Holds back what was said already within the last minute. */
export class Complaints {
  private readonly said = new Map<string, number>();

  /** Whether to say it. `now` in milliseconds. */
  take(text: string, now: number): boolean {
    const last = this.said.get(text);
    if (last !== undefined && now - last < 60_000) return false;
    this.said.set(text, now);
    return true;
  }
}
