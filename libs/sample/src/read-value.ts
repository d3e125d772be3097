import { SampleInvariantError } from './sample-error';

/** Largest token id: ids are kept as 32-bit integers. */
const MAX_ID = 2 ** 31 - 1;

/** Any list of numbers, plain or typed. */
export type Numbers = ArrayLike<unknown>;

const show = (value: unknown): string => (typeof value === 'object' ? typeof value : JSON.stringify(value));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isInteger = (value: unknown, min: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min;

/** Fails with a sample's error unless the condition holds. */
export function demand(condition: boolean, field: string, detail: string): asserts condition {
  if (!condition) throw new SampleInvariantError(field, detail);
}

const readNumbers = (value: unknown, field: string): Numbers => {
  demand(Array.isArray(value) || ArrayBuffer.isView(value), field, `must be a list of numbers, got ${show(value)}`);
  return value as Numbers;
};

/** Token ids as Int32Array; an Int32Array is taken as it is. */
export const readIds = (value: unknown, field: string): Int32Array => {
  if (value instanceof Int32Array) return value;
  return Int32Array.from(readNumbers(value, field), (id: unknown, i) => {
    demand(isInteger(id, 0) && id <= MAX_ID, `${field}[${i}]`, `must be a token id, got ${show(id)}`);
    return id;
  });
};

/** Log-probs as Float64Array, checked to be numbers. */
export const readLogProbs = (value: unknown, field: string): Float64Array => {
  if (value instanceof Float64Array) return value;
  return Float64Array.from(readNumbers(value, field), (logProb: unknown, i) => {
    demand(typeof logProb === 'number', `${field}[${i}]`, `must be a number, got ${show(logProb)}`);
    return logProb;
  });
};

/** A mask of zeros and ones as Uint8Array. */
export const readMask = (value: unknown, field: string): Uint8Array => {
  if (value instanceof Uint8Array) return value;
  return Uint8Array.from(readNumbers(value, field), (bit: unknown, i) => {
    demand(bit === 0 || bit === 1, `${field}[${i}]`, `must be 0 or 1, got ${show(bit)}`);
    return bit;
  });
};
