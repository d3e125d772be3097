import { Arena } from '../runtime/arena';
import { checkModelConfig, type ModelConfig } from './model-config';
import { Parameters } from './parameters';

/** A model in memory: sizes, parameters, kernels, and the tables of its rotary positions. */
export class Machine {
  readonly arena = new Arena();
  readonly parameters: Parameters;
  readonly headSize: number;
  /** Pointers of [context, headSize / 2]. */
  readonly cosines: number;
  readonly sines: number;

  /** @throws ModelConfigError */
  constructor(
    readonly config: ModelConfig,
    parameters: Float32Array,
  ) {
    checkModelConfig(config);
    this.headSize = config.width / config.heads;
    this.parameters = new Parameters(this.arena, config, parameters);
    this.cosines = this.tabulate(Math.cos);
    this.sines = this.tabulate(Math.sin);
  }

  private tabulate(wave: (angle: number) => number): number {
    const { context, ropeBase } = this.config;
    const half = this.headSize / 2;
    const table = this.arena.allocate(context * half);
    const values = this.arena.floats(table, context * half);
    for (let position = 0; position < context; position += 1) {
      for (let i = 0; i < half; i += 1) values[position * half + i] = wave(position * ropeBase ** (-i / half));
    }
    return table;
  }
}
