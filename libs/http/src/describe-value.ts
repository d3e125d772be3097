/** What a client sent, for an error message: numbers and booleans as they are; of a text, which may be a conversation, its length. */
export const describeValue = (value: unknown): string => {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `a text of length ${value.length}`;
  if (Array.isArray(value)) return `a list of length ${value.length}`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'an object';
};
