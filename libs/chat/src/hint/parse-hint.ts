import { parseScore } from '../boxed-score';
import { isRecord } from '../chat-message';
import { cutThoughts } from '../thinking';
import { trimSpace } from './trim-space';

/** What one vote says: whether what followed shows how the answer should have been, and if so, how. */
export interface HintVote {
  readonly decision: 1 | -1;
  /** Trimmed; '' where the decision is -1, or where there is none. */
  readonly hint: string;
}

const HINT = /\[HINT_START\]([\s\S]*?)\[HINT_END\]/g;

const voteOf = (decision: unknown, hint: string): HintVote | null => {
  if (decision !== 1 && decision !== -1) return null;
  return { decision, hint: decision === 1 ? trimSpace(hint) : '' };
};

/**
 * The vote in a judge's text: `\boxed{1}` or `\boxed{-1}`, the last box outside hints decides, and the last hint between
 * `[HINT_START]` and `[HINT_END]`. null without a decision. Thoughts are not searched.
 */
export const parseHint = (text: string): HintVote | null => {
  const hints = [...(cutThoughts(text) ?? '').matchAll(HINT)];
  return voteOf(parseScore(text), hints.at(-1)?.[1] ?? '');
};

/** The vote in a judge's JSON answer, `{"decision": 1, "hint": …}`: the whole text is one object, else null. */
export const parseHintJson = (text: string): HintVote | null => {
  const spoken = cutThoughts(text);
  if (spoken === null) return null;
  try {
    const answer: unknown = JSON.parse(spoken);
    if (!isRecord(answer)) return null;
    return voteOf(answer.decision, typeof answer.hint === 'string' ? answer.hint : '');
  } catch {
    return null;
  }
};
