import { isRecord } from './chat-message';

/** Depth below which a value is not told apart any more: a hostile nesting must not exhaust the stack. */
const MAX_DEPTH = 200;

const canonical = (value: unknown, depth: number): unknown => {
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item: unknown) => canonical(item, depth + 1));
  if (!isRecord(value)) return value ?? null;
  // Pairs, not an object: JavaScript would sort keys that look like numbers by itself.
  const keys = Object.keys(value).sort();
  return { pairs: keys.map((key) => [key, canonical(value[key], depth + 1)]) };
};

/**
 * One text for one JSON value, whatever the order of its keys. For comparing and hashing only: it is not that value's JSON.
 * Values that differ only below a depth of 200 share a text.
 */
export const canonicalJson = (value: unknown): string => JSON.stringify(canonical(value, 0));
