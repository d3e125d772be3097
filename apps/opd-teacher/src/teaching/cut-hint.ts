import { splitSentences } from '@app/chat';

/**
 * The hint, or as many of its first sentences as have at most `most` tokens; of a single sentence that is longer, as many
 * words. '' if not even a word fits.
 *
 * @param count tokens of a text
 */
export const cutHint = async (
  hint: string,
  most: number,
  count: (text: string) => Promise<number>,
): Promise<string> => {
  // A token stands for a byte or more.
  const fits = async (text: string): Promise<boolean> => Buffer.byteLength(text) <= most || (await count(text)) <= most;
  if (await fits(hint)) return hint;
  const sentences = splitSentences(hint);
  for (let kept = sentences.length - 1; kept > 0; kept -= 1) {
    const text = sentences.slice(0, kept).join('').trimEnd();
    if (await fits(text)) return text;
  }
  const words = (sentences[0] ?? '').match(/\s*\S+/g) ?? [];
  let fitting = 0;
  for (let open = words.length; fitting < open;) {
    const middle = Math.ceil((fitting + open) / 2);
    if (await fits(words.slice(0, middle).join(''))) fitting = middle;
    else open = middle - 1;
  }
  return words.slice(0, fitting).join('');
};
