import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';

const FULL = process.env.INPUT_CASES === 'all';
const SEED = Number(process.env.INPUT_SEED ?? 1);

let count = 0;

/** Every case counts itself here; the count of a file is reported once. */
export const countCase = (): void => {
  count += 1;
};

/** `INPUT_COUNTS` names a file in which each test file leaves how many cases it tried. */
export const reportCases = (): void => {
  const { INPUT_COUNTS } = process.env;
  if (INPUT_COUNTS !== undefined) appendFileSync(INPUT_COUNTS, `${count}\n`);
};

/** Runs of a property: all of them, or a tenth within `npm test`. A failure prints seed and path; `INPUT_SEED` replays. */
export const runs = (all: number): fc.Parameters<unknown> => ({
  seed: SEED,
  numRuns: FULL ? all : Math.ceil(all / 10),
  endOnFailure: !FULL,
});

/** What is tried with large inputs only where there is time. */
export const inFull = FULL ? it : it.skip;

/** Megabytes that are in use once everything that can go has gone. */
export const memoryInUse = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
};
