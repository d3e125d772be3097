import { checkSample } from './check-sample';
import { demand, isInteger, isObject, readIds, readLogProbs, readMask } from './read-value';
import { SAMPLE_SCHEMA_VERSION, type Sample } from './sample';
import { SampleVersionError } from './sample-error';

/** A sample as a plain JSON object: arrays of numbers in place of typed arrays. */
export type SampleJson = Readonly<Record<string, unknown>>;

/** A sample in two: what is JSON, and the arrays that travel as raw numbers. */
export interface SampleFrame {
  readonly head: SampleJson;
  readonly arrays: Readonly<Record<string, Int32Array | Float64Array | Uint8Array>>;
}

const DEFAULT_METADATA = {
  votes: null,
  method: 'binary',
  weights: { binary_reward: 1, opd: 1 },
  hint: null,
  step_index: null,
  session_outcome: null,
};

/** Reads a field that may be null. */
const orNull = <Value>(value: unknown, read: (value: unknown, field: string) => Value, field: string): Value | null =>
  value === null || value === undefined ? null : read(value, field);

/** Later optional fields of version 1 get their defaults here, so that what was written before them still reads. */
const withDefaults = (value: Record<string, unknown>): Record<string, unknown> => {
  const { metadata } = value;
  return {
    index: null,
    group_index: null,
    prompt: null,
    teacher_log_probs: null,
    teacher_topk_log_probs: null,
    teacher_topk_indices: null,
    teacher_topk_mask: null,
    ...value,
    metadata: isObject(metadata) ? { ...DEFAULT_METADATA, ...metadata } : metadata,
  };
};

/**
 * Reads a sample from parsed JSON. Fields that this version does not know are kept.
 *
 * @throws SampleVersionError for a newer schema, SampleInvariantError for anything that is no valid sample
 */
export const parseSampleJson = (value: unknown): Sample => {
  demand(isObject(value), 'value', 'must be an object');
  const version = value.schema_version;
  demand(isInteger(version, 1), 'schema_version', `must be an integer, 1 or more, got ${JSON.stringify(version)}`);
  if (version > SAMPLE_SCHEMA_VERSION) throw new SampleVersionError(version, SAMPLE_SCHEMA_VERSION);
  const sample: unknown = {
    ...withDefaults(value),
    tokens: readIds(value.tokens, 'tokens'),
    loss_mask: readMask(value.loss_mask, 'loss_mask'),
    rollout_log_probs: readLogProbs(value.rollout_log_probs, 'rollout_log_probs'),
    teacher_log_probs: orNull(value.teacher_log_probs, readLogProbs, 'teacher_log_probs'),
    teacher_topk_log_probs: orNull(value.teacher_topk_log_probs, readLogProbs, 'teacher_topk_log_probs'),
    teacher_topk_indices: orNull(value.teacher_topk_indices, readIds, 'teacher_topk_indices'),
    teacher_topk_mask: orNull(value.teacher_topk_mask, readMask, 'teacher_topk_mask'),
  };
  return checkSample(sample as Sample);
};

const TEACHER_ARRAYS = [
  'teacher_log_probs',
  'teacher_topk_log_probs',
  'teacher_topk_indices',
  'teacher_topk_mask',
] as const;

/** The sample as a plain JSON object that `parseSampleJson` reads back. */
export const sampleToJson = (sample: Sample): SampleJson => ({
  ...sample,
  tokens: [...sample.tokens],
  loss_mask: [...sample.loss_mask],
  rollout_log_probs: [...sample.rollout_log_probs],
  ...Object.fromEntries(TEACHER_ARRAYS.map((name) => [name, sample[name] === null ? null : [...sample[name]]])),
});

/** The sample as a JSON head and raw arrays, a third of its JSON's size. An array that is null is in neither. */
export const sampleToFrame = (sample: Sample): SampleFrame => {
  const head: Record<string, unknown> = { ...sample };
  const arrays: Record<string, Int32Array | Float64Array | Uint8Array> = {};
  for (const name of ['tokens', 'loss_mask', 'rollout_log_probs', ...TEACHER_ARRAYS] as const) {
    const values = sample[name];
    if (values !== null) arrays[name] = values;
    Reflect.deleteProperty(head, name);
  }
  return { head, arrays };
};

/**
 * Reads what `sampleToFrame` made.
 *
 * @throws SampleVersionError, SampleInvariantError as `parseSampleJson`
 */
export const sampleFromFrame = (frame: { readonly head: unknown; readonly arrays: SampleFrame['arrays'] }): Sample => {
  demand(isObject(frame.head), 'head', 'must be an object');
  return parseSampleJson({ ...frame.head, ...frame.arrays });
};
