/** Mean and spread of the same measure over runs. */
export interface Spread {
  readonly mean: number;
  /** Sample standard deviation; 0 for a single run. */
  readonly deviation: number;
}

/** @throws RangeError without values */
export const spreadOf = (values: readonly number[]): Spread => {
  const { length } = values;
  if (length === 0) throw new RangeError('a spread needs at least one value');
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / Math.max(1, length - 1)) };
};

/** The curve of the means, point by point; runs that are shorter end it. */
export const meanCurve = (curves: readonly (readonly number[])[]): number[] => {
  const length = Math.min(...curves.map((curve) => curve.length));
  return Array.from({ length }, (_, at) => spreadOf(curves.map((curve) => curve[at] ?? 0)).mean);
};
