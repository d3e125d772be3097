import { LevelMeter, type LevelReport } from './level-meter';
import type { Simulator } from './simulator';

export interface TrainerOptions {
  readonly batch: number;
  readonly trainingSeconds: number;
  readonly closedSeconds: number;
  /** Samples that may wait; what comes then is refused. */
  readonly queueSize: number;
  readonly intervalSeconds: number;
}

/** What stands still while weights are changed. */
export interface Gated {
  close(): void;
  open(): void;
}

export interface TrainerReport {
  readonly updates: number;
  /** Samples that came while the queue was full. */
  readonly refused: number;
  readonly waiting: LevelReport;
}

/** Takes a batch once one waits, trains, closes the gate, changes the weights, opens it, and takes the next one. */
export class Trainer {
  private readonly waiting: LevelMeter;
  private length = 0;
  private updates = 0;
  private refused = 0;
  private isTraining = false;

  constructor(
    private readonly simulator: Simulator,
    private readonly options: TrainerOptions,
    private readonly gated: readonly Gated[],
  ) {
    this.waiting = new LevelMeter(options.intervalSeconds);
  }

  offer(): void {
    if (this.length >= this.options.queueSize) {
      this.refused += 1;
      return;
    }
    this.hold(1);
    this.takeBatch();
  }

  report(): TrainerReport {
    const { updates, refused } = this;
    return { updates, refused, waiting: this.waiting.report(this.simulator.now) };
  }

  private takeBatch(): void {
    const { batch, trainingSeconds } = this.options;
    if (this.isTraining || this.length < batch) return;
    this.isTraining = true;
    this.simulator.after(trainingSeconds, () => {
      this.update();
    });
  }

  private update(): void {
    for (const each of this.gated) each.close();
    this.simulator.after(this.options.closedSeconds, () => {
      this.updates += 1;
      this.isTraining = false;
      // Until then the batch is leased, and counts as waiting: it would be handed out again if the trainer died.
      this.hold(-this.options.batch);
      for (const each of this.gated) each.open();
      this.takeBatch();
    });
  }

  private hold(change: number): void {
    this.length += change;
    this.waiting.set(this.simulator.now, this.length);
  }
}
