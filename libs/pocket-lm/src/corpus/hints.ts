import { hashText, type Random } from '../runtime/random';
import { between, pick, pickSome } from './draw';
import type { GradingStyle } from './grading';
import type { HomeworkStyle } from './homework';

export type Style = HomeworkStyle | GradingStyle;

/** Which wordings may be in the corpus: sentences of judge and users are drawn from the others. */
export type Wording = 'corpus' | 'held-out';

const OPENINGS = [
  'Please ',
  'Next time ',
  'You should ',
  'It is better to ',
  'Remember to ',
  'From now on ',
  'The user wants you to ',
  'Try to ',
] as const;

/** What makes each style, one thing at a time. */
const CLAUSES: Readonly<Record<Style, readonly string[]>> = {
  student: [
    'write like a student',
    'use no bold',
    'leave out the numbered steps',
    'skip the "Final answer" line',
    'keep it short and plain',
    'answer in one plain sentence',
    'sound like a kid',
    'leave out the greeting',
  ],
  assistant: [
    'write like an assistant',
    'use bold',
    'use numbered steps',
    'end with a "Final answer" line',
    'explain it in full',
    'go step by step',
    'format it well',
    'greet the user first',
  ],
  friendly: [
    'be friendly',
    'be specific',
    'use the name of the child',
    'name the task',
    'say something kind',
    'encourage the child',
    'praise the effort',
    'write a full sentence',
  ],
  curt: [
    'be curt',
    'be general',
    'leave out the name of the child',
    'leave out the task',
    'stay neutral',
    'say only right or wrong',
    'use no praise',
    'write one or two words',
  ],
};

const JOINERS = [' and ', ', ', ', and also '] as const;

/** How a complaint begins: those of the corpus, and those that are held out. */
const COMPLAINTS: Readonly<Record<Wording, Readonly<Record<Style, readonly string[]>>>> = {
  corpus: {
    student: [
      'This sounds like an AI. ',
      'My teacher will notice. ',
      'Nobody in my class writes so. ',
      'Too polished. ',
    ],
    assistant: ['This is sloppy. ', 'I cannot follow this. ', 'That is too short. ', 'Too childish. '],
    friendly: ['This is too cold. ', 'That does not help a child. ', 'Too general. ', 'That will hurt. '],
    curt: ['This is too long. ', 'That is too sweet. ', 'I have no time for this. ', 'Too much. '],
  },
  'held-out': {
    student: ['That looks like a bot wrote it. ', 'They will see that I used AI. ', 'I do not write like that. '],
    assistant: ['This is hard to read. ', 'I want to see how it is done. ', 'That looks careless. '],
    friendly: ['That sounds harsh. ', 'A child learns nothing from this. ', 'This could be about anybody. '],
    curt: ['Nobody will read all of this. ', 'This is too warm for me. ', 'I need less. '],
  },
};

const HELD_OUT_IN = 8;

const clausesOf = (style: Style, random: Random): string =>
  pickSome(random, CLAUSES[style], between(random, 1, 3)).reduce((all, clause) => all + pick(random, JOINERS) + clause);

/** How the answer should be: one sentence. */
export const drawHint = (style: Style, random: Random, wording: Wording): string => {
  const sentence = `${pick(random, OPENINGS)}${clausesOf(style, random)}.`;
  const isHeldOut = hashText(sentence) % HELD_OUT_IN === 0;
  return isHeldOut === (wording === 'held-out') ? sentence : drawHint(style, random, wording);
};

/** What somebody says who wanted this style and did not get it: two sentences. */
export const drawComplaint = (style: Style, random: Random, wording: Wording): string =>
  pick(random, COMPLAINTS[wording][style]) + drawHint(style, random, wording);

/** Where the teacher finds a hint: the form that opd-teacher appends it in. */
export const withHint = (request: string, hint: string): string => `${request}\n\n[user's hint / instruction]\n${hint}`;
