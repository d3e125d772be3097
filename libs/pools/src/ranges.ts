/** Whole numbers as closed ranges [first, last], ascending, never overlapping. */
export type Ranges = [number, number][];

/** The ranges that hold exactly these numbers; `numbers` ascends. */
export const toRanges = (numbers: readonly number[]): Ranges => {
  const ranges: Ranges = [];
  for (const value of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === value - 1) last[1] = value;
    else ranges.push([value, value]);
  }
  return ranges;
};

/** Every number of the ranges, ascending. */
export const expandRanges = (ranges: Readonly<Ranges>): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));

/** Index of the first element for which `isAfter` holds; it holds for no element before and all behind. */
const lowerBound = (length: number, isAfter: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Whether a number lies in one of the ranges. */
export const inRanges = (ranges: Readonly<Ranges>, value: number): boolean => {
  const range = ranges[lowerBound(ranges.length, (i) => (ranges[i]?.[1] ?? 0) >= value)];
  return range !== undefined && range[0] <= value;
};

/** Whether one of the ascending numbers lies in [first, last]. */
export const anyBetween = (ascending: readonly number[], first: number, last: number): boolean => {
  const next = ascending[lowerBound(ascending.length, (i) => (ascending[i] ?? 0) >= first)];
  return next !== undefined && next <= last;
};

/** Both sets of ranges together. `isEmpty` says of a gap [first, last] between two ranges that it may be closed. */
export const joinRanges = (
  a: Readonly<Ranges>,
  b: Readonly<Ranges>,
  isEmpty: (first: number, last: number) => boolean = () => false,
): Ranges => {
  const joined: Ranges = [];
  for (const [first, last] of [...a, ...b].sort((x, y) => x[0] - y[0])) {
    const before = joined.at(-1);
    if (before !== undefined && (first <= before[1] + 1 || isEmpty(before[1] + 1, first - 1))) {
      before[1] = Math.max(before[1], last);
    } else joined.push([first, last]);
  }
  return joined;
};
