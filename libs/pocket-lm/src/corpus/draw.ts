import type { Random } from '../runtime/random';

/** One of the list, each as likely as the other. */
export const pick = <T>(random: Random, list: readonly T[]): T => {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new RangeError('corpus: nothing to pick from');
  return chosen;
};

export const chance = (random: Random, share: number): boolean => random() < share;

/** A whole number from low to high, both among them. */
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

/** `count` different ones of the list, in any order. */
export const pickSome = <T>(random: Random, list: readonly T[], count: number): T[] => {
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  ).flat();
};
