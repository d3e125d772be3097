import { drawDocument } from '../corpus/document';
import { seededRandom } from '../runtime/random';
import { countPieces } from './pieces';
import { trainBytePairs, type Merge } from './train-bpe';

export const MERGES = 700;
const DOCUMENTS = 20_000;

/** The tokenizer's merges, learned from documents of the corpus. */
export const learnCorpusMerges = (seed: number): Merge[] => {
  const random = seededRandom(seed);
  const texts = Array.from({ length: DOCUMENTS }, () => drawDocument(random).messages.map(({ content }) => content));
  return trainBytePairs(countPieces(texts.flat()), MERGES);
};
