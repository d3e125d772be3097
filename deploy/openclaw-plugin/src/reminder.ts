const DEFAULT_EVERY = 10;
const MOST = 1000;

/** The line below an answer, now and then. */
export const REMINDER =
  'Was this answer any good? Your next words teach the model, and so do /rate good and /rate bad.';

/** How often people are reminded, as the plugin's configuration says it. */
export const remindEvery = (configured: unknown): number =>
  typeof configured === 'number' && Number.isInteger(configured) && configured >= 0 ? configured : DEFAULT_EVERY;

/** A reply that goes out. */
export interface Outgoing {
  readonly conversation: string;
  readonly runId: string | undefined;
  /** OpenClaw says which model has made it. It does not for every one. */
  readonly isByModel: boolean;
}

/** The newest ids of runs. */
class Runs {
  private readonly ids = new Set<string>();

  has(id: string | undefined): boolean {
    return id !== undefined && this.ids.has(id);
  }

  add(id: string | undefined): void {
    if (id === undefined) return;
    this.ids.add(id);
    const [oldest] = this.ids;
    if (this.ids.size > MOST && oldest !== undefined) this.ids.delete(oldest);
  }
}

/**
 * Counts the answers of each conversation, and says below which of them people are reminded. What goes out without a run of the
 * model, what a command says or OpenClaw itself, is no answer.
 */
export class Reminder {
  private readonly answers = new Map<string, number>();
  private readonly begun = new Runs();
  private readonly counted = new Runs();

  /** @param every answers from one reminder to the next; 0: none */
  constructor(private readonly every: number) {}

  /** The model is asked for an answer. */
  begin(runId: string | undefined): void {
    this.begun.add(runId);
  }

  /** A reply goes out. Returns whether people are reminded below it: once for a run, however many pieces its answer has. */
  isDue({ conversation, runId, isByModel }: Outgoing): boolean {
    if (this.every === 0 || !(isByModel || this.begun.has(runId)) || this.counted.has(runId)) return false;
    this.counted.add(runId);
    const count = (this.answers.get(conversation) ?? 0) + 1;
    this.answers.delete(conversation);
    this.answers.set(conversation, count % this.every);
    const [oldest] = this.answers.keys();
    if (this.answers.size > MOST && oldest !== undefined) this.answers.delete(oldest);
    return count === this.every;
  }
}
