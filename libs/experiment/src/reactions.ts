import type { Random } from '@app/pocket-lm';

const PRAISES = [
  'Thanks, that is perfect!',
  'Thank you, just what I needed.',
  'Great, thanks!',
  'Perfect.',
  'Exactly, thanks a lot!',
  'Well done, thank you.',
  'I can use this, thanks.',
  'That is great 👍',
] as const;

const CORRECTIONS = [
  'That is wrong.',
  'No, that is not right.',
  'Your answer is incorrect.',
  'It looks wrong to me.',
  'Nope, not quite.',
] as const;

const pick = (list: readonly string[], random: Random): string => list[Math.floor(random() * list.length)] ?? '';

export const drawPraise = (random: Random): string => pick(PRAISES, random);

/** Said of an answer in the right style whose matter is wrong: it says nothing that a hint could be made of. */
export const drawCorrection = (random: Random): string => pick(CORRECTIONS, random);
