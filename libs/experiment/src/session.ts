import { drawComplaint, type Random } from '@app/pocket-lm';
import { drawErrand, type Errand, type Role } from './errand';
import { drawCorrection, drawPraise } from './reactions';

/** How people are: those of the prototype that the hyper-parameters come from. */
const ERRANDS = 2;
const IGNORES = 0.05;

const STYLE_OF = { student: 'student', teacher: 'friendly' } as const;

/**
 * One person's conversation of several turns: they ask, read the answer, and say what they think of it. Who got what they
 * wanted says thanks and asks the next thing; who did not says so and looks at a second try; some go on without a word.
 */
export class Session {
  private errand: Errand;
  private errandsLeft = ERRANDS - 1;
  private hasComplained = false;
  private isOver = false;

  constructor(
    readonly role: Role,
    private readonly random: Random,
  ) {
    this.errand = drawErrand(role, random, 'training');
  }

  /** What they say first. */
  get opening(): string {
    return this.errand.request;
  }

  /** What they say to an answer; null: nothing more. */
  react(answer: string): string | null {
    if (this.isOver) return null;
    const { isRight, isPreferred } = this.errand.check(answer);
    const isContent = isRight && isPreferred;
    if (this.random() < IGNORES) return this.next('');
    if (isContent) return this.next(drawPraise(this.random));
    const word = isPreferred
      ? drawCorrection(this.random)
      : drawComplaint(STYLE_OF[this.role], this.random, 'held-out');
    if (this.hasComplained) return this.next(word);
    this.hasComplained = true;
    return word;
  }

  private next(word: string): string | null {
    this.hasComplained = false;
    this.isOver = this.errandsLeft === 0;
    // The last word is said, and its answer is not looked at.
    if (this.isOver) return word === '' ? null : word;
    this.errandsLeft -= 1;
    this.errand = drawErrand(this.role, this.random, 'training');
    return `${word} ${this.errand.request}`.trim();
  }
}
