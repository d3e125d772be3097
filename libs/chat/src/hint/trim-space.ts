/** White space as Python's `strip` knows it: with the separators U+001C to U+001F and U+0085, without the mark U+FEFF. */
const SPACE =
  '[\\u0009-\\u000d\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const START = new RegExp(`^${SPACE}`, 'u');
const END = new RegExp(`${SPACE}$`, 'u');

/** The text without white space around it, as the published system trims hints. */
export const trimSpace = (text: string): string => text.replace(START, '').replace(END, '');
