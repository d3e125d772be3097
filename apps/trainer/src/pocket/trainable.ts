import type { Sample } from '@app/sample';
import type { ModelConfig } from '@app/pocket-lm';

/** Why the pocket model cannot learn from a sample. */
export type Untrainable = 'too_long' | 'unknown_token' | 'unknown_temperature';

/** null: it can. What is of another model, or was not scored in a way that is known, is left out and counted. */
export const untrainable = (sample: Sample, { context, vocabularySize }: ModelConfig): Untrainable | null => {
  if (sample.tokens.length > context) return 'too_long';
  if (sample.tokens.some((id) => id < 0 || id >= vocabularySize)) return 'unknown_token';
  return temperatureOf(sample) === null ? 'unknown_temperature' : null;
};

/** The temperature at which the sample's log-probs were taken; null: not known. */
export const temperatureOf = ({ metadata }: Sample): number | null => {
  const { log_probs_tempered: isTempered, sampling } = metadata;
  if (isTempered === false || sampling.temperature === 1) return 1;
  return isTempered === null ? null : sampling.temperature;
};
