import type { CaptureRoute } from '@app/contracts';
import { EngineAnswerError } from '../engine-errors';

/** How turns are captured from one engine, and why not in a better way. */
export interface RouteChoice {
  readonly route: CaptureRoute;
  /** What stands against every better route; '' on the best one. */
  readonly why: string;
}

/** What an engine has to be asked for beside a client's wishes, by the routes that go through its chat API. */
export const ASKING = {
  sglext: { return_input_ids_in_sglext: true, return_output_ids_in_sglext: true },
  token_ids: { return_token_ids: true },
} as const;

/** Marks the requests by which an engine is asked what it can do, for whoever reads its logs. */
export const PROBE_NAME = 'openclaw-rl-probe';

/**
 * Refuses an answer that an engine has let go of, as it does to take new weights: it says nothing of what the engine can do.
 *
 * @param finish how the answer ended
 * @throws EngineAnswerError
 */
export const refuseAborted = (finish: unknown): void => {
  if (finish === 'abort')
    throw new EngineAnswerError('the engine let go of a probe before its end: it has to be asked again');
};
