import { demand } from './read-value';

/**
 * How far above 0 a log-prob may lie: engines compute them in float32, where the logarithm of a certain token can round to
 * a few 1e-6. Such a value is kept as it is; anything larger is no log-prob.
 */
export const LOG_PROB_SLACK = 1e-4;

/** @throws SampleInvariantError naming the first value that is no log-prob */
export const checkLogProbs = (values: Float64Array, field: string): void => {
  const bad = values.findIndex((value) => !(Number.isFinite(value) && value <= LOG_PROB_SLACK));
  demand(bad === -1, `${field}[${bad}]`, `must be finite and at most 0, got ${values[bad]}`);
};
