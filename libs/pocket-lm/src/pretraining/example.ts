import { CHILDREN } from '../corpus/words';
import type { CorpusDocument } from '../corpus/document';
import type { PocketTokenizer } from '../tokenizer/pocket-tokenizer';

/** A document as tokens, and how much each counts in the loss; the first predicts nothing and has no weight. */
export interface TrainingExample {
  readonly ids: readonly number[];
  /** Of ids from 1 on. */
  readonly weights: Float32Array;
}

/** Numbers and names decide whether an answer is right: they count more. */
const WEIGHTS = { prompt: 0.05, response: 1, fact: 4 } as const;

const NUMBER = /^ ?\d+$/;
const NAMES: ReadonlySet<string> = new Set(CHILDREN);

/** The last message is the response; what stands before it is the prompt, as the chat template shows it. */
export const toExample = ({ kind, messages }: CorpusDocument, tokenizer: PocketTokenizer): TrainingExample => {
  const prompt = tokenizer.promptIds(messages.slice(0, -1));
  const response = tokenizer.encode(`${messages.at(-1)?.content ?? ''}<|end|>`);
  const texts = response.map((id) => tokenizer.textOf(id));
  const weightOf = (text: string, at: number): number => {
    // Sums are drawn, not foreseen: only what follows the sign says something.
    if (kind === 'facts' && NUMBER.test(text)) return texts[at - 1] === ' =' ? WEIGHTS.fact : WEIGHTS.prompt;
    return NUMBER.test(text) || NAMES.has(text.trim()) ? WEIGHTS.fact : WEIGHTS.response;
  };
  const weights = [...prompt.slice(1).map(() => WEIGHTS.prompt), ...texts.map(weightOf)];
  return { ids: [...prompt, ...response], weights: Float32Array.from(weights) };
};
