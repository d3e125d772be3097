import type { ModelConfig } from '../model/model-config';
import { MARKS } from '../tokenizer/chat-template';
import { MERGES } from '../tokenizer/corpus-merges';

const BYTES = 256;

/** The model that ships: 535,392 parameters. */
export const POCKET_CONFIG: ModelConfig = {
  vocabularySize: MARKS.length + BYTES + MERGES,
  width: 96,
  layers: 4,
  heads: 4,
  hidden: 384,
  context: 2048,
  ropeBase: 10_000,
  epsilon: 1e-6,
};
