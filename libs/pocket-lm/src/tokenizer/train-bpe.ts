import { BYTE_SYMBOLS } from './byte-symbols';

/** Merges of a byte-level BPE, first to last; each joins two symbols. */
export type Merge = readonly [left: string, right: string];

interface Word {
  symbols: string[];
  readonly count: number;
}

const joined = (symbols: readonly string[], [left, right]: Merge): string[] => {
  const out: string[] = [];
  for (let at = 0; at < symbols.length; at += 1) {
    const symbol = symbols[at] ?? '';
    if (symbol === left && symbols[at + 1] === right) {
      out.push(left + right);
      at += 1;
    } else out.push(symbol);
  }
  return out;
};

/** The pair that is most frequent; of equal ones the first in the alphabet. */
const mostFrequent = (words: readonly Word[]): Merge | null => {
  const counts = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let at = 1; at < symbols.length; at += 1) {
      const pair = `${symbols[at - 1] ?? ''} ${symbols[at] ?? ''}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: [string, number] | null = null;
  for (const [pair, count] of counts) {
    if (best === null || count > best[1] || (count === best[1] && pair < best[0])) best = [pair, count];
  }
  if (best === null) return null;
  const [left = '', right = ''] = best[0].split(' ');
  return [left, right];
};

/**
 * Learns merges from the pieces of a corpus (Sennrich et al., 2016).
 * @param pieces how often each piece occurs; merges stay within a piece
 */
export const trainBytePairs = (pieces: ReadonlyMap<string, number>, merges: number): Merge[] => {
  const words = Array.from(pieces, ([piece, count]): Word => {
    const symbols = Array.from(new TextEncoder().encode(piece), (byte) => BYTE_SYMBOLS[byte] ?? '');
    return { symbols, count };
  });
  const learned: Merge[] = [];
  while (learned.length < merges) {
    const merge = mostFrequent(words);
    if (merge === null) break;
    learned.push(merge);
    for (const word of words) word.symbols = joined(word.symbols, merge);
  }
  return learned;
};
