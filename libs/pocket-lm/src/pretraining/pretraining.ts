import { drawDocument } from '../corpus/document';
import type { Machine } from '../model/machine';
import { accumulateGradients } from '../model/score';
import { seededRandom } from '../runtime/random';
import type { PocketTokenizer } from '../tokenizer/pocket-tokenizer';
import { AdamW, type AdamWState } from '../training/adamw';
import { toExample, type TrainingExample } from './example';

export interface PretrainingOptions {
  readonly seed: number;
  readonly steps: number;
  /** Documents a step. */
  readonly batch: number;
  readonly rate: number;
  readonly warmUp: number;
}

export const PRETRAINING_DEFAULTS: PretrainingOptions = { seed: 1, steps: 4000, batch: 32, rate: 3e-3, warmUp: 100 };

const OPTIMIZER = { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, decay: 0.2, maxNorm: 1 } as const;

/** Up over the warm-up, then down to zero in a line. */
export const rateAt = (step: number, { rate, warmUp, steps }: PretrainingOptions): number =>
  rate * Math.min((step + 1) / warmUp, (steps - step) / (steps - warmUp), 1);

/** Documents of one step: they depend on seed and step alone, so that a run that goes on sees what it would have seen. */
const drawBatch = (
  step: number,
  { seed, batch }: PretrainingOptions,
  tokenizer: PocketTokenizer,
): TrainingExample[] => {
  const random = seededRandom(seed * 1_000_003 + step);
  return Array.from({ length: batch }, () => toExample(drawDocument(random), tokenizer));
};

/** Trains a fresh model on the corpus, step by step. */
export class Pretraining {
  private readonly optimizer: AdamW;
  private step = 0;

  constructor(
    private readonly machine: Machine,
    private readonly tokenizer: PocketTokenizer,
    private readonly options: PretrainingOptions,
  ) {
    this.optimizer = new AdamW(machine, OPTIMIZER);
  }

  get stepsDone(): number {
    return this.step;
  }

  get isDone(): boolean {
    return this.step >= this.options.steps;
  }

  /** @returns the mean loss of the tokens by their weights, in nats */
  advance(): number {
    const examples = drawBatch(this.step, this.options, this.tokenizer);
    const total = examples.reduce((sum, { weights }) => sum + weights.reduce((part, weight) => part + weight, 0), 0);
    const sequences = examples.map(({ ids }) => ({ ids, from: 1 }));
    const slopes = examples.map(({ weights }) => weights.map((weight) => -weight / total));
    const { logProbs } = accumulateGradients(this.machine, sequences, { slopesOf: () => slopes }, this.optimizer);
    this.optimizer.step(rateAt(this.step, this.options));
    this.step += 1;
    return logProbs.reduce(
      (sum, list, at) => sum + list.reduce((part, logProb, i) => part + logProb * (slopes[at]?.[i] ?? 0), 0),
      0,
    );
  }

  save(): AdamWState {
    return this.optimizer.save();
  }

  restore(state: AdamWState): void {
    this.optimizer.restore(state);
    this.step = state.steps;
  }
}
