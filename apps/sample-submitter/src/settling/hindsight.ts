import type { TurnHintedBody, TurnHintedInfo } from '@app/contracts';
import type { Hindsight } from './settle';

/**
 * What a `turn.hinted` message says, in the words of the sample builder. A signal that is not whole is left to the builder,
 * who refuses it.
 */
export const readHindsight = (info: TurnHintedInfo, { head, arrays }: TurnHintedBody): Hindsight => {
  const hasHint = head.selected !== null;
  const reason = info.reason ?? null;
  const { teacherLogProbs, topLogProbs, topIds, topPresent } = arrays;
  if (reason !== null || head.hint === null || !(teacherLogProbs instanceof Float64Array)) {
    return { teacher: null, reason: reason ?? 'scores_incomplete', hasHint };
  }
  const hasTop =
    topLogProbs instanceof Float64Array && topIds instanceof Int32Array && topPresent instanceof Uint8Array;
  const top = hasTop ? { logProbs: topLogProbs, ids: topIds, present: topPresent } : null;
  return { teacher: { hint: head.hint, logProbs: teacherLogProbs, top }, reason: null, hasHint };
};
