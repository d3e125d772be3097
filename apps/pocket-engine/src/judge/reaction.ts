import type { JudgeQuestion } from './judge-question';

/** What a next state says about the response, by rules. */
export interface Reaction {
  readonly score: 1 | -1 | 0;
  readonly reason: string;
  /** The next state's own sentences that say how the response should have been. */
  readonly wishes: readonly string[];
}

const TOOL_ERROR = /\b(error|exception|failed|failure|denied|not found|no such|timed out|traceback|exit code [1-9])/i;

const PRAISE =
  /(👍|\b(thanks|thank you|perfect|exactly|great|well done|just what i (wanted|needed)|i can use this|works now)\b)/i;

/** Each is about the answer, not about the matter: a new task may well say that somebody's result is wrong. */
const COMPLAINTS = [
  /👎/,
  /^(no|nope|wrong|incorrect|not quite)\b/i,
  /\b(that|this|it|your answer)('s| is| was| looks?| sounds?| reads?| seems?| will| could)\b.*\b(wrong|incorrect|not|too|harsh|hurt|cold|sloppy|careless|hard to|like an? \w+|bot|ai|anybody)\b/i,
  /\b(that|this|it) (does not|doesn't|did not|didn't) (help|work|answer|do)\b/i,
  /\b(learns nothing from this|read all of this|no time for this|follow this|notice|not what i (asked|meant|wanted))\b/i,
  /\bi (do not|don't) (write|talk|like|want)\b|\bi (asked|meant|need less|want to see)\b|\bthey will see\b|\bnobody in my class\b/i,
  /^too (polished|general|much|long|short|cold|childish)\b/i,
];

/** Openings of a sentence that says how to answer. */
const MANNER =
  /(?:^|\bbut )(next time|from now on|you should|it is better to|remember to|the user wants you to|instead,?)\b/i;
const WISH = /^(please|try to|use|write|keep|leave|make|do not|don't|say|answer|be|stop|avoid|add|drop|skip|sound)\b/i;

const sentencesOf = (text: string): string[] =>
  (text.match(/[^.!?\n]+[.!?]*/g) ?? []).map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');

/** The wish in a sentence, from its opening on. */
const wishIn = (sentence: string): string[] => {
  const opening = MANNER.exec(sentence);
  if (opening !== null) return [sentence.slice(opening.index).replace(/^but /i, '')];
  return WISH.test(sentence) ? [sentence] : [];
};

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const ofTools = (results: readonly string[]): Reaction => {
  const failed = results.some((result) => TOOL_ERROR.test(result));
  if (failed) return { score: -1, reason: 'A tool reports an error.', wishes: [] };
  return { score: 0, reason: 'The tools answered, which says little about the response.', wishes: [] };
};

/** Thanks and thumbs, corrections, wishes, re-asks, tool errors; anything else says nothing. */
export const readReaction = ({ request, reply, toolResults }: JudgeQuestion): Reaction => {
  if (reply === null) return ofTools(toolResults);
  const sentences = sentencesOf(reply);
  const isCorrected = sentences.some(
    (sentence) => MANNER.test(sentence) || COMPLAINTS.some((complaint) => complaint.test(sentence)),
  );
  if (isCorrected) {
    const wishes = sentences.flatMap(wishIn);
    return { score: -1, reason: 'The user corrects the response.', wishes };
  }
  if (PRAISE.test(reply)) return { score: 1, reason: 'The user accepts the response.', wishes: [] };
  if (words(reply) !== '' && words(reply) === words(request)) {
    return { score: -1, reason: 'The user asks the same again.', wishes: [] };
  }
  if (toolResults.length > 0) return ofTools(toolResults);
  return { score: 0, reason: 'The next state says nothing about the response.', wishes: [] };
};
