import type { Gradients } from '../model/backward';
import type { Machine } from '../model/machine';

export interface AdamWOptions {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Decoupled weight decay, of matrices only. */
  readonly decay: number;
  /** The gradient's norm is brought down to this. */
  readonly maxNorm: number;
}

/** What a restart needs to go on as if there had been none. */
export interface AdamWState {
  readonly steps: number;
  readonly means: Float32Array;
  readonly squares: Float32Array;
}

/** AdamW (Loshchilov and Hutter, 2019) on a model's parameters, with the gradients that it steps along. */
export class AdamW implements Gradients {
  private readonly gradients: number;
  private readonly means: number;
  private readonly squares: number;
  private steps = 0;

  constructor(
    private readonly machine: Machine,
    private readonly options: AdamWOptions,
  ) {
    const { count } = machine.parameters.layout;
    this.gradients = machine.arena.allocateZeros(count);
    this.means = machine.arena.allocateZeros(count);
    this.squares = machine.arena.allocateZeros(count);
  }

  at(offset: number): number {
    return this.gradients + offset * 4;
  }

  /** The gradients since the last step, laid out as the parameters. */
  readGradients(): Float32Array {
    return this.read(this.gradients);
  }

  /** Steps along the gradients and forgets them. @returns their norm before it was brought down */
  step(rate: number): number {
    const { arena, parameters } = this.machine;
    const { beta1, beta2, epsilon, decay, maxNorm } = this.options;
    this.steps += 1;
    const norm = Math.sqrt(arena.kernels.sumSquares(this.gradients, parameters.layout.count));
    const scale = norm > maxNorm ? maxNorm / norm : 1;
    const corrected = rate / (1 - beta1 ** this.steps);
    const root = 1 / (1 - beta2 ** this.steps);
    for (const { shape, offset, count } of parameters.layout.specs) {
      const keep = shape.length === 1 ? 1 : 1 - rate * decay;
      const at = offset * 4;
      arena.kernels.adamw(
        parameters.at(offset),
        this.gradients + at,
        this.means + at,
        this.squares + at,
        count,
        scale,
        corrected,
        beta1,
        beta2,
        root,
        epsilon,
        keep,
      );
    }
    arena.floats(this.gradients, parameters.layout.count).fill(0);
    parameters.refresh();
    return norm;
  }

  save(): AdamWState {
    return { steps: this.steps, means: this.read(this.means), squares: this.read(this.squares) };
  }

  restore({ steps, means, squares }: AdamWState): void {
    const { arena, parameters } = this.machine;
    this.steps = steps;
    arena.floats(this.means, parameters.layout.count).set(means);
    arena.floats(this.squares, parameters.layout.count).set(squares);
  }

  private read(pointer: number): Float32Array {
    return this.machine.arena.floats(pointer, this.machine.parameters.layout.count).slice();
  }
}
