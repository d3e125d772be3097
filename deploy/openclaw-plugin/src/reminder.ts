const DEFAULT_EVERY = 10;
const MOST = 1000;

/** The line below an answer, now and then. */
export const REMINDER =
  'Was this answer any good? Your next words teach the model, and so do /rate good and /rate bad.';

/** How often people are reminded, as the plugin's configuration says it. */
export const remindEvery = (configured: unknown): number =>
  typeof configured === 'number' && Number.isInteger(configured) && configured >= 0 ? configured : DEFAULT_EVERY;

/** Counts the answers of each conversation, and says below which of them people are reminded. */
export class Reminder {
  private readonly answers = new Map<string, number>();

  /** @param every answers from one reminder to the next; 0: none */
  constructor(private readonly every: number) {}

  /** An answer goes out. Returns whether people are reminded below it. */
  isDue(conversation: string): boolean {
    if (this.every === 0) return false;
    const count = (this.answers.get(conversation) ?? 0) + 1;
    this.answers.delete(conversation);
    this.answers.set(conversation, count % this.every);
    const [oldest] = this.answers.keys();
    if (this.answers.size > MOST && oldest !== undefined) this.answers.delete(oldest);
    return count === this.every;
  }
}
