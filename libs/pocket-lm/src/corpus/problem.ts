import { hashText, type Random } from '../runtime/random';
import { between, pick } from './draw';
import { CHILDREN, THINGS } from './words';

export const OPERATIONS = ['+', '-', 'x'] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Calculation {
  readonly operation: Operation;
  readonly a: number;
  readonly b: number;
  readonly result: number;
}

/** A word problem for a child. */
export interface Problem extends Calculation {
  readonly thing: string;
  readonly text: string;
}

/** Training problems have no held-out part; held-out ones have held-out numbers or a held-out pair of wording and thing. */
export type Split = 'training' | 'held-out';

/** `C` is the child, `T` the thing, `A` and `B` the numbers. */
const WORDINGS: Readonly<Record<Operation, readonly string[]>> = {
  '+': [
    'C has A T and finds B more. How many T are there now?',
    'There are A T in one box and B in another. How many T in all?',
    'C buys A T on Monday and B on Friday. How many T is that?',
    'A shop sells A T in the morning and B in the evening. How many T does it sell?',
    'C counts A red T and B blue T. How many T does C count?',
    'C made A T, then B more. How many T did C make?',
  ],
  '-': [
    'C has A T and gives away B. How many T are left?',
    'There were A T, and B got lost. How many T remain?',
    'A shop has A T and sells B. How many T does it still have?',
    'C needs A T and has B. How many T are missing?',
    'Of A T, B are broken. How many T are fine?',
    'C took A T to school and lost B. How many T came home?',
  ],
  x: [
    'C has A bags with B T each. How many T are there?',
    'There are A rows of B T. How many T in all?',
    'Each of A children gets B T. How many T is that?',
    'C buys A packs of B T. How many T does C get?',
    'Here are A boxes with B T in each. How many T do they hold?',
    'For A days C makes B T a day. How many T is that?',
  ],
};

const HELD_OUT_NUMBERS = 0.1;
const HELD_OUT_WORDINGS = 0.12;
const share = (text: string): number => hashText(text) / 2 ** 32;

/** Sums know no order; a product is held out only where the mirrored one is in training. */
export const hasHeldOutNumbers = ({ operation, a, b }: Calculation): boolean => {
  const key = (x: number, y: number): string => `${operation} ${x} ${y}`;
  const isHeld = (x: number, y: number): boolean => share(key(x, y)) < HELD_OUT_NUMBERS;
  if (operation === '+') return isHeld(Math.min(a, b), Math.max(a, b));
  return isHeld(a, b) && (operation === '-' || (a !== b && !isHeld(b, a)));
};

const isHeldOutWording = (wording: string, thing: string): boolean => share(`${wording} ${thing}`) < HELD_OUT_WORDINGS;

export const calculate = (operation: Operation, a: number, b: number): Calculation => ({
  operation,
  a,
  b,
  result: operation === '+' ? a + b : operation === '-' ? a - b : a * b,
});

const drawNumbers = (random: Random, operation: Operation): Calculation => {
  if (operation === '+') return calculate(operation, between(random, 2, 12), between(random, 2, 12));
  if (operation === 'x') return calculate(operation, between(random, 2, 7), between(random, 2, 7));
  const a = between(random, 5, 20);
  return calculate(operation, a, between(random, 2, Math.min(12, a - 1)));
};

/** A calculation whose numbers are in training. */
export const drawCalculation = (random: Random): Calculation => {
  const calculation = drawNumbers(random, pick(random, OPERATIONS));
  return hasHeldOutNumbers(calculation) ? drawCalculation(random) : calculation;
};

/** `7 + 12` */
export const taskOf = ({ operation, a, b }: Calculation): string => `${a} ${operation} ${b}`;

/** `7 + 12 = 19` */
export const equationOf = (calculation: Calculation): string => `${taskOf(calculation)} = ${calculation.result}`;

export const drawProblem = (random: Random, split: Split): Problem => {
  const calculation = drawNumbers(random, pick(random, OPERATIONS));
  const wording = pick(random, WORDINGS[calculation.operation]);
  const thing = pick(random, THINGS);
  const child = pick(random, CHILDREN);
  const isHeldOut = hasHeldOutNumbers(calculation) || isHeldOutWording(wording, thing);
  if (isHeldOut !== (split === 'held-out')) return drawProblem(random, split);
  const words: Readonly<Record<string, string>> = {
    A: String(calculation.a),
    B: String(calculation.b),
    C: child,
    T: thing,
  };
  // `A shop` begins a wording: only a capital before a word boundary and no article is a place.
  const text = wording.replace(/\b([ABCT])\b(?! shop)/g, (letter) => words[letter] ?? letter);
  return { ...calculation, thing, text };
};
