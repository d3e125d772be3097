import type { FrameArrays, TurnSettledInfo } from '@app/contracts';
import { sampleToFrame } from '@app/sample';
import { signalOf, type Outcome, type Verdict } from './settle';

/** Everything that `turn.settled` says of one turn. */
export interface Settled {
  readonly turnId: string;
  readonly session: string | undefined;
  readonly outcome: Outcome;
  /** What was decided on, if it came to a verdict. */
  readonly verdict: Verdict | null;
  /** The session's outcome that was decided with, if one was known. */
  readonly sessionOutcome?: number | null;
  /** Policy version at the start of the answer, if the turn could be read. */
  readonly policyVersion: number | undefined;
  /** Milliseconds since 1970. */
  readonly settledAt: number;
}

/** Content of the `turn.settled` message. A reason has an empty body. */
export const settledMessage = (
  settled: Settled,
): { readonly info: TurnSettledInfo; readonly head: unknown; readonly arrays?: FrameArrays } => {
  const { outcome, verdict, sessionOutcome } = settled;
  const info: TurnSettledInfo = {
    turnId: settled.turnId,
    kind: outcome.kind,
    settledAt: settled.settledAt,
    ...(settled.session === undefined ? {} : { session: settled.session }),
    ...(settled.policyVersion === undefined ? {} : { policyVersion: settled.policyVersion }),
    ...(verdict === null || verdict.score === null ? {} : { score: verdict.score, source: verdict.source }),
    ...(typeof sessionOutcome === 'number' ? { outcome: sessionOutcome } : {}),
  };
  if (outcome.kind === 'sample') {
    return { info: { ...info, signal: signalOf(outcome.sample) }, ...sampleToFrame(outcome.sample) };
  }
  const detail = outcome.detail === undefined ? {} : { detail: outcome.detail };
  return { info: { ...info, reason: outcome.reason, ...detail }, head: {} };
};
