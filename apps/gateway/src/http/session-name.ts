import { isUtf8 } from 'node:buffer';

/** Longest name of a session, in UTF-16 units. */
export const MAX_SESSION_NAME = 512;

export const SESSION_NAME_FORM = `a string of 1 to ${MAX_SESSION_NAME} characters`;

/** Half a character has no bytes of its own: names that differ in one alone would be hashed to the same key. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a client may call a session so: anything that can be told apart from every other name. */
export const isSessionName = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= MAX_SESSION_NAME && !LONE_SURROGATE.test(value);

/** A header's text: Node reads its bytes as Latin-1, clients write UTF-8, so that a body or a URL names the same session. */
export const decodeHeader = (value: string): string => {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
};
