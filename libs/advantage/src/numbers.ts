/** A row of numbers that is only read. Float64Array is the fastest. */
export type Numbers = ArrayLike<number>;

/** Thrown when two rows that belong together have different lengths; nothing is cut or padded to fit. */
export class LengthMismatchError extends Error {
  override readonly name = 'LengthMismatchError';
  readonly retryable = false;
}

/**
 * Demands that all rows have the length of the first one.
 *
 * @param rows rows by the names that an error gives them; one that is undefined is left out
 * @throws LengthMismatchError naming two rows and their lengths
 */
export const requireSameLength = (rows: Readonly<Record<string, Numbers | undefined>>): void => {
  const present = Object.entries(rows).filter((entry): entry is [string, Numbers] => entry[1] !== undefined);
  const [first, ...others] = present;
  if (first === undefined) return;
  for (const [name, row] of others) {
    if (row.length === first[1].length) continue;
    throw new LengthMismatchError(
      `${first[0]} has ${first[1].length} entries and ${name} has ${row.length}: give both one per token`,
    );
  }
};
