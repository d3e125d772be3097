/** Sizes of a decoder-only transformer: RMSNorm before each block, rotary positions, GELU, one matrix for both ends. */
export interface ModelConfig {
  readonly vocabularySize: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Width of the MLP's inside. */
  readonly hidden: number;
  /** Positions of a sequence at most. */
  readonly context: number;
  readonly ropeBase: number;
  readonly epsilon: number;
}

/** Thrown for sizes that the kernels cannot work with. */
export class ModelConfigError extends Error {
  override readonly name = 'ModelConfigError';

  constructor(name: string, value: unknown, remedy: string) {
    super(`pocket model: ${name} is ${String(value)}; ${remedy}`);
  }
}

/** Columns that a tile of the matrix product has. */
const TILE = 8;
const LANES = 4;

/** @throws ModelConfigError */
export const checkModelConfig = (config: ModelConfig): ModelConfig => {
  for (const name of ['vocabularySize', 'width', 'hidden'] as const) {
    if (!(config[name] > 0 && config[name] % TILE === 0)) {
      throw new ModelConfigError(name, config[name], `take a multiple of ${TILE}`);
    }
  }
  for (const name of ['layers', 'heads', 'context'] as const) {
    if (!(Number.isInteger(config[name]) && config[name] > 0)) {
      throw new ModelConfigError(name, config[name], 'take a whole number above 0');
    }
  }
  if (config.width % (config.heads * LANES) !== 0) {
    throw new ModelConfigError('width', config.width, `take a multiple of ${LANES} for each of ${config.heads} heads`);
  }
  return config;
};
