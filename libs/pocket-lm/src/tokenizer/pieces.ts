/** Text falls into words, whole numbers, signs, line ends and blanks; a blank goes with what follows it. Ends up in tokenizer.json. */
export const PIECES = ' ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\n+|[^\\S\\n]+';

/** How often each piece occurs. */
export const countPieces = (texts: Iterable<string>): Map<string, number> => {
  const pattern = new RegExp(PIECES, 'gu');
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [piece] of text.matchAll(pattern)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
  return counts;
};
