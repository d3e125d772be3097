import type { SessionPlan } from './plan';

/** One life of a process: from its start to its death. */
export interface Life {
  readonly service: string;
  readonly startedAt: number;
  /** When it was killed without warning; undefined while it lives, or if it ended in order. */
  killedAt?: number;
}

export interface Answer {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

/**
 * How a request ended, as its client saw it. `finished`: the whole answer is there; `broken`: it was accepted, or may have
 * been, and the answer did not come whole; `refused`: nothing was accepted; `abandoned`: the client hung up.
 */
export type Ending = 'finished' | 'broken' | 'refused' | 'abandoned';

/** One request as its client remembers it. */
export interface Attempt {
  readonly client: number;
  readonly session: SessionPlan;
  readonly step: number;
  readonly purpose: 'main' | 'aside' | 'abandoned';
  readonly gateway: Life;
  readonly body: object;
  readonly startedAt: number;
  endedAt: number;
  ending: Ending | 'open';
  /** As the answer's header said it; null if no header came. */
  turnId: string | null;
  answer: Answer | null;
  /** Why it was not finished, for a person. */
  note: string;
}

/** The clients' own list: what they asked and what they got. The one truth that the system is measured by. */
export class Ledger {
  readonly attempts: Attempt[] = [];

  open(attempt: Omit<Attempt, 'endedAt' | 'ending' | 'turnId' | 'answer' | 'note' | 'startedAt'>): Attempt {
    const opened: Attempt = {
      ...attempt,
      startedAt: Date.now(),
      endedAt: Infinity,
      ending: 'open',
      turnId: null,
      answer: null,
      note: '',
    };
    this.attempts.push(opened);
    return opened;
  }

  close(attempt: Attempt, ending: Ending, note = ''): void {
    attempt.ending = ending;
    attempt.endedAt = Date.now();
    attempt.note = note;
  }

  ended(ending: Ending): readonly Attempt[] {
    return this.attempts.filter((attempt) => attempt.ending === ending);
  }

  /** Finished answers of the conversations themselves. */
  get finished(): readonly Attempt[] {
    return this.ended('finished').filter(({ purpose }) => purpose === 'main');
  }
}
