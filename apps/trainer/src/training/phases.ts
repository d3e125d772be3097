import type { TrainingMetrics } from './trainer-backend';

const MS = 1000;

/** What a round spends its time on: the wait for samples, new weights that are put where engines find them, the closed gate. */
export type Phase = 'wait' | 'publish' | 'update';

/** How long each phase of a round takes. */
export class Phases {
  private readonly millis: Partial<Record<Phase, number>> = {};

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number) {}

  /** Does the work, and counts its time for the phase, also if it throws. */
  async time<Result>(phase: Phase, work: () => Promise<Result>): Promise<Result> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      this.millis[phase] = (this.millis[phase] ?? 0) + this.now() - startedAt;
    }
  }

  /** Seconds by `<phase>_seconds`, of the phases that there were. */
  get numbers(): TrainingMetrics {
    return Object.fromEntries(Object.entries(this.millis).map(([phase, millis]) => [`${phase}_seconds`, millis / MS]));
  }
}
