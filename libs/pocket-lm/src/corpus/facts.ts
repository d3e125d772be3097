import type { Random } from '../runtime/random';
import { between, pick } from './draw';
import { calculate, drawCalculation, equationOf, hasHeldOutNumbers, type Calculation } from './problem';

const LINES = 8;

/** How the lines of a sheet follow each other: without order, one number counting up, or each line and its mirror image. */
const ORDERS = ['mixed', 'mixed', 'table', 'mirrored'] as const;

const mixed = (random: Random): Calculation[] => Array.from({ length: LINES }, () => drawCalculation(random));

/** Within the numbers that problems have. */
const isInRange = ({ operation, b, result }: Calculation): boolean =>
  operation === 'x' ? b <= 7 : b <= 12 && result > 0;

const table = (random: Random): Calculation[] => {
  const { operation, a } = drawCalculation(random);
  const first = between(random, 2, 4);
  return Array.from({ length: LINES }, (_, i) => calculate(operation, a, first + i)).filter(isInRange);
};

const drawMirrorable = (random: Random): Calculation => {
  const calculation = drawCalculation(random);
  return calculation.operation === '-' ? drawMirrorable(random) : calculation;
};

const mirrored = (random: Random): Calculation[] =>
  Array.from({ length: LINES / 2 }, () => drawMirrorable(random)).flatMap((each) => [
    each,
    calculate(each.operation, each.b, each.a),
  ]);

const DRAW = { mixed, table, mirrored } as const;

/**
 * A sheet of calculations, one a line. Tables and mirror images show what numbers have to do with each other, so that pairs
 * that are held out can be worked out and not only remembered.
 */
export const drawFacts = (random: Random): string => {
  const lines = DRAW[pick(random, ORDERS)](random).filter((line) => !hasHeldOutNumbers(line));
  return (lines.length > 1 ? lines : mixed(random)).map(equationOf).join('\n');
};
