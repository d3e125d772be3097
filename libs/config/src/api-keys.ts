import { optional, text, textList } from './kinds';

/** Bearer keys as they can stand in a header. */
export const apiKeyList = textList('a list of distinct keys of visible ASCII characters', /^[\x21-\x7e]+$/);

/** A file of bearer keys. */
export const apiKeyFile = optional(text('path of a file with one key per line; # begins a comment'));

/** The keys in a key file's text. */
export function parseKeyFile(content: string): string[] {
  return content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
