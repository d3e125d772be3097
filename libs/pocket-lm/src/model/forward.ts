import type { Machine } from './machine';
import type { LayerOffsets } from './parameters';

/** Keys and values of one sequence, of every layer: pointers of [context, width]. */
export interface SequenceCache {
  readonly keys: readonly number[];
  readonly values: readonly number[];
}

/** Rows of a batch that belong to one sequence. */
export interface Span {
  /** Its first row in the batch. */
  readonly start: number;
  readonly rows: number;
  /** Position of its first row in the sequence; above 0 only with a cache that holds what stands before. */
  readonly first: number;
  /** Where keys and values go, and come from; null: the whole sequence is here. */
  readonly cache: SequenceCache | null;
}

/** Pointers of what a layer worked out, in rows of the batch: what the way back needs. */
export interface LayerRecord {
  readonly input: number;
  readonly inputInverse: number;
  readonly normed: number;
  readonly qkv: number;
  readonly attended: number;
  readonly logSums: number;
  readonly middle: number;
  readonly middleInverse: number;
  readonly mlpNormed: number;
  readonly mlpIn: number;
  readonly mlpActive: number;
}

export interface Batch {
  /** Pointer of the token ids, one a row. */
  readonly ids: number;
  readonly rows: number;
  readonly spans: readonly Span[];
}

/** Pointers of everything on the way forward. */
export interface ForwardRecord {
  readonly layers: readonly LayerRecord[];
  /** The last layer's output, before and after its norm. */
  readonly last: number;
  readonly lastInverse: number;
  readonly hidden: number;
}

const allocateLayer = ({ arena, config }: Machine, rows: number): Omit<LayerRecord, 'input'> => ({
  inputInverse: arena.allocate(rows),
  normed: arena.allocate(rows * config.width),
  qkv: arena.allocate(rows * 3 * config.width),
  attended: arena.allocate(rows * config.width),
  logSums: arena.allocate(rows * config.heads),
  middle: arena.allocate(rows * config.width),
  middleInverse: arena.allocate(rows),
  mlpNormed: arena.allocate(rows * config.width),
  mlpIn: arena.allocate(rows * config.hidden),
  mlpActive: arena.allocate(rows * config.hidden),
});

const copyRows = (machine: Machine, from: number, to: number, rows: number): void => {
  const { arena, config } = machine;
  const { width } = config;
  const source = arena.floats(from, (rows - 1) * 3 * width + width);
  const target = arena.floats(to, rows * width);
  for (let row = 0; row < rows; row += 1) {
    target.set(source.subarray(row * 3 * width, row * 3 * width + width), row * width);
  }
};

/** Attention of one sequence's rows, over its cache if it has one. */
const attendSpan = (machine: Machine, span: Span, layer: number, record: Omit<LayerRecord, 'input'>): void => {
  const { arena, config, headSize, cosines, sines } = machine;
  const { kernels } = arena;
  const { width, heads } = config;
  const stride = 3 * width;
  const { start, rows, first, cache } = span;
  const q = record.qkv + start * stride * 4;
  const k = q + width * 4;
  const v = k + width * 4;
  kernels.rotate(q, cosines, sines, rows, first, heads, headSize, stride, 1);
  kernels.rotate(k, cosines, sines, rows, first, heads, headSize, stride, 1);
  const out = record.attended + start * width * 4;
  const logSums = record.logSums + start * heads * 4;
  arena.scope(() => {
    const scores = arena.allocate(first + rows + 4);
    if (cache === null) {
      kernels.attend(q, k, v, out, logSums, scores, rows, first, heads, headSize, stride, stride);
      return;
    }
    const keys = cache.keys[layer] ?? 0;
    const values = cache.values[layer] ?? 0;
    copyRows(machine, k, keys + first * width * 4, rows);
    copyRows(machine, v, values + first * width * 4, rows);
    kernels.attend(q, keys, values, out, logSums, scores, rows, first, heads, headSize, stride, width);
  });
};

interface LayerCall {
  readonly layer: number;
  readonly offsets: LayerOffsets;
  readonly record: LayerRecord;
  /** Pointer of the layer's output. */
  readonly output: number;
}

const runLayer = (machine: Machine, batch: Batch, { layer, offsets, record, output }: LayerCall): void => {
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { width, hidden, epsilon } = config;
  const { rows } = batch;
  const at = (offset: number): number => parameters.at(offset);
  kernels.normalize(record.input, at(offsets.attentionNorm), record.normed, record.inputInverse, rows, width, epsilon);
  kernels.matmul(record.normed, at(offsets.qkv), record.qkv, rows, width, 3 * width, false);
  for (const span of batch.spans) attendSpan(machine, span, layer, record);
  arena.copy(record.input, record.middle, rows * width);
  kernels.matmul(record.attended, at(offsets.attentionOut), record.middle, rows, width, width, true);
  kernels.normalize(record.middle, at(offsets.mlpNorm), record.mlpNormed, record.middleInverse, rows, width, epsilon);
  kernels.matmul(record.mlpNormed, at(offsets.mlpIn), record.mlpIn, rows, width, hidden, false);
  kernels.gelu(record.mlpIn, record.mlpActive, rows * hidden);
  arena.copy(record.middle, output, rows * width);
  kernels.matmul(record.mlpActive, at(offsets.mlpOut), output, rows, hidden, width, true);
};

/**
 * Runs a batch of rows through the layers. A row comes out the same, bit by bit, whatever else is in the batch and whether
 * what stands before it is here or in a cache.
 * @param keep whether the records of all layers are kept, for the way back; else the layers share one
 */
export const runForward = (machine: Machine, batch: Batch, keep: boolean): ForwardRecord => {
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { width, epsilon } = config;
  const { rows } = batch;
  let input = arena.allocate(rows * width);
  kernels.gatherRows(parameters.at(parameters.layout.embedding), batch.ids, input, rows, width);
  let shared: Omit<LayerRecord, 'input'> | undefined;
  let spare = 0;
  const layers = parameters.layout.layers.map((offsets, layer) => {
    const room = keep ? allocateLayer(machine, rows) : (shared ??= allocateLayer(machine, rows));
    const record = { ...room, input };
    const output = keep || layer === 0 ? arena.allocate(rows * width) : spare;
    runLayer(machine, batch, { layer, offsets, record, output });
    spare = input;
    input = output;
    return record;
  });
  const hidden = arena.allocate(rows * width);
  const lastInverse = arena.allocate(rows);
  kernels.normalize(input, parameters.at(parameters.layout.finalNorm), hidden, lastInverse, rows, width, epsilon);
  return { layers, last: input, lastInverse, hidden };
};
