import type { Random } from '../runtime/random';
import { pick } from './draw';

const THANKS = [
  'Thanks, that is perfect!',
  'Thank you, just what I wanted.',
  'Great, thanks a lot!',
  'Perfect, thank you!',
  'Nice, I can use this.',
] as const;

const REPLIES = ['You are welcome!', 'Happy to help!', 'Glad it helps.', 'Any time!'] as const;

export const drawThanks = (random: Random): string => pick(random, THANKS);
export const drawReplyToThanks = (random: Random): string => pick(random, REPLIES);
