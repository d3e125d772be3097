import type { Arena } from '../runtime/arena';
import type { ModelConfig } from './model-config';

/** One tensor within the block of all parameters. Matrices are [in, out]: y = x · W. */
export interface ParameterSpec {
  readonly name: string;
  readonly shape: readonly number[];
  /** Its place in the block, in numbers. */
  readonly offset: number;
  readonly count: number;
}

export interface LayerOffsets {
  readonly attentionNorm: number;
  /** Queries, keys and values side by side. */
  readonly qkv: number;
  readonly attentionOut: number;
  readonly mlpNorm: number;
  readonly mlpIn: number;
  readonly mlpOut: number;
}

/** Where everything lies in the block, in numbers. */
export interface ParameterLayout {
  readonly specs: readonly ParameterSpec[];
  readonly count: number;
  readonly embedding: number;
  readonly layers: readonly LayerOffsets[];
  readonly finalNorm: number;
}

export const layOutParameters = ({ vocabularySize, width, hidden, layers }: ModelConfig): ParameterLayout => {
  const specs: ParameterSpec[] = [];
  let count = 0;
  const place = (name: string, ...shape: number[]): number => {
    const size = shape.reduce((product, length) => product * length, 1);
    specs.push({ name, shape, offset: count, count: size });
    count += size;
    return count - size;
  };
  const embedding = place('embedding', vocabularySize, width);
  const placed = Array.from({ length: layers }, (_, layer) => ({
    attentionNorm: place(`layers.${layer}.attention_norm`, width),
    qkv: place(`layers.${layer}.qkv`, width, 3 * width),
    attentionOut: place(`layers.${layer}.attention_out`, width, width),
    mlpNorm: place(`layers.${layer}.mlp_norm`, width),
    mlpIn: place(`layers.${layer}.mlp_in`, width, hidden),
    mlpOut: place(`layers.${layer}.mlp_out`, hidden, width),
  }));
  const finalNorm = place('final_norm', width);
  return { specs, count, embedding, layers: placed, finalNorm };
};

const SPREAD = 0.02;

/** Fresh parameters: gains of 1, normal numbers elsewhere, smaller where a block ends, so that depth does not add up. */
export const initialParameters = (config: ModelConfig, normal: () => number): Float32Array => {
  const { specs, count } = layOutParameters(config);
  const values = new Float32Array(count);
  for (const { name, shape, offset, count: size } of specs) {
    const spread = /(_out)$/.test(name) ? SPREAD / Math.sqrt(2 * config.layers) : SPREAD;
    for (let i = offset; i < offset + size; i += 1) values[i] = shape.length === 1 ? 1 : spread * normal();
  }
  return values;
};

/** The parameters in the kernels' memory, with what is derived from them. */
export class Parameters {
  readonly layout: ParameterLayout;
  /** Pointer of the block. */
  readonly block: number;
  /** Pointer of the embedding as [width, vocabulary], for the logits. */
  readonly unembedding: number;

  constructor(
    private readonly arena: Arena,
    private readonly config: ModelConfig,
    values: Float32Array,
  ) {
    this.layout = layOutParameters(config);
    this.block = arena.allocate(this.layout.count);
    this.unembedding = arena.allocate(config.width * config.vocabularySize);
    this.write(values);
  }

  /** Pointer of what lies at this offset. */
  at(offset: number): number {
    return this.block + offset * 4;
  }

  read(): Float32Array {
    return this.arena.floats(this.block, this.layout.count).slice();
  }

  write(values: Float32Array): void {
    this.arena.floats(this.block, this.layout.count).set(values);
    this.refresh();
  }

  /** Call it after the block has changed. */
  refresh(): void {
    const { vocabularySize, width } = this.config;
    this.arena.kernels.transpose(this.at(this.layout.embedding), this.unembedding, vocabularySize, width);
  }
}
