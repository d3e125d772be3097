export { drawDocument, type CorpusDocument, type DialogMessage } from './corpus/document';
export { checkGrading, checkHomework, type AnswerCheck } from './corpus/check-answer';
export { drawGradedWork, type GradedWork } from './corpus/grading';
export { drawComplaint, drawHint, withHint, type Style, type Wording } from './corpus/hints';
export { homeworkRequest } from './corpus/homework';
export { drawProblem, hasHeldOutNumbers, type Problem, type Split } from './corpus/problem';
export { Decoder, NoFreeSlotError, type Stream } from './generation/decoder';
export { generateAll, type GeneratedText, type Generation } from './generation/generate';
export { logSoftmax, sampleToken, topIds, type SampledToken, type SamplingOptions } from './generation/sampling';
export { Machine } from './model/machine';
export { ModelConfigError, type ModelConfig } from './model/model-config';
export { initialParameters } from './model/parameters';
export {
  accumulateGradients,
  nextLogits,
  scoreSequences,
  SequenceError,
  type Logits,
  type LogitSlopes,
  type LossOptions,
  type LossSlopes,
  type ScoredSequence,
  type Scores,
} from './model/score';
export { decodeCheckpoint, encodeCheckpoint, type Checkpoint } from './pretraining/checkpoint';
export { failedGates, GATES, measure, type Measured, type MeasureOptions } from './pretraining/gates';
export { POCKET_CONFIG } from './pretraining/pocket-model';
export { Pretraining, PRETRAINING_DEFAULTS, type PretrainingOptions } from './pretraining/pretraining';
export { OutOfMemoryError } from './runtime/arena';
export { hashText, normalFrom, seededRandom, type Random } from './runtime/random';
export { END_ID } from './tokenizer/chat-template';
export { learnCorpusMerges } from './tokenizer/corpus-merges';
export { PocketTokenizer } from './tokenizer/pocket-tokenizer';
export { tokenizerConfigJson, tokenizerJson } from './tokenizer/tokenizer-files';
export { AdamW, type AdamWOptions, type AdamWState } from './training/adamw';
export {
  configJson,
  decodeWeights,
  encodeWeights,
  hashTokenizer,
  parseConfigJson,
  WeightsError,
} from './weights/model-files';
export {
  decodeSafetensors,
  encodeSafetensors,
  SafetensorsError,
  type Tensor,
  type TensorFile,
} from './weights/safetensors';
