/** Edits that turn one word into another: a letter more, less, another, or two that changed places. */
const distance = (a: string, b: string): number => {
  let [before, last]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swapped));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
};

/** As many edits as a slip of the fingers takes, in a word of this length. */
const mostEdits = (word: string): number => Math.max(1, Math.min(4, Math.floor(word.length / 3)));

/** The name that somebody has meant who wrote `word`; null if none is near. Of two that are as near, the first. */
export function nearestNameOrNull(word: string, names: readonly string[]): string | null {
  const written = word.toLowerCase();
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const name of names) {
    const edits = distance(written, name.toLowerCase());
    if (edits <= mostEdits(word) && edits < (best?.edits ?? Infinity)) best = { name, edits };
  }
  return best?.name ?? null;
}

/** "; did you mean …?", or nothing. */
export function didYouMean(word: string, names: readonly string[]): string {
  const name = nearestNameOrNull(word, names);
  return name === null ? '' : `; did you mean ${name}?`;
}
