import { runBackward, type Gradients } from './backward';
import { runForward, type Batch, type ForwardRecord, type Span } from './forward';
import type { Machine } from './machine';

/** A sequence whose tokens from `from` on are scored; what stands before them is context. */
export interface ScoredSequence {
  readonly ids: readonly number[];
  /** At least 1: the first token has nothing before it. */
  readonly from: number;
}

/** One list a sequence, one value a scored token. */
export interface Scores {
  readonly logProbs: readonly Float32Array[];
  /** Of the distribution that the token was chosen from, in nats. */
  readonly entropies: readonly Float32Array[];
}

export interface ScoreOptions {
  /** Log-probs are those of softmax(logits / temperature). Default 1: untempered. */
  readonly temperature?: number;
}

/** Thrown for a sequence that cannot be scored. */
export class SequenceError extends Error {
  override readonly name = 'SequenceError';

  constructor(problem: string) {
    super(`pocket model: ${problem}`);
  }
}

/** Rows that predict the scored tokens, and those tokens. */
interface Targets {
  readonly rows: number;
  readonly sources: number;
  readonly tokens: number;
}

interface Scored {
  readonly record: ForwardRecord;
  readonly logits: number;
  readonly logSums: number;
  readonly scores: Scores;
}

const checkSequence = ({ config }: Machine, { ids, from }: ScoredSequence): void => {
  if (ids.length > config.context) {
    throw new SequenceError(`a sequence of ${ids.length} tokens is longer than its context of ${config.context}`);
  }
  if (from < 1 || from >= ids.length) {
    throw new SequenceError(`tokens of a sequence of ${ids.length} cannot be scored from ${from} on`);
  }
  const unknown = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < config.vocabularySize));
  if (unknown !== undefined) {
    throw new SequenceError(`token id ${unknown} is none of its ${config.vocabularySize}`);
  }
};

/** The last token of a sequence is only ever a target: it needs no row. */
const batchOf = (machine: Machine, sequences: readonly ScoredSequence[]): Batch => {
  let start = 0;
  const spans = sequences.map(({ ids }): Span => {
    const span = { start, rows: ids.length - 1, first: 0, cache: null };
    start += span.rows;
    return span;
  });
  const ids = machine.arena.allocateIntegers(sequences.flatMap((sequence) => sequence.ids.slice(0, -1)));
  return { ids, rows: start, spans };
};

const targetsOf = (machine: Machine, batch: Batch, sequences: readonly ScoredSequence[]): Targets => {
  const sources = sequences.flatMap(({ ids, from }, at) => {
    const start = batch.spans[at]?.start ?? 0;
    return ids.slice(from).map((_, i) => start + from - 1 + i);
  });
  const tokens = sequences.flatMap(({ ids, from }) => ids.slice(from));
  const { arena } = machine;
  return {
    rows: sources.length,
    sources: arena.allocateIntegers(sources),
    tokens: arena.allocateIntegers(tokens),
  };
};

const split = (values: Float32Array, sequences: readonly ScoredSequence[]): Float32Array[] => {
  let at = 0;
  return sequences.map(({ ids, from }) => values.slice(at, (at += ids.length - from)));
};

interface ScoreCall {
  readonly sequences: readonly ScoredSequence[];
  readonly batch: Batch;
  readonly targets: Targets;
  readonly sharpness: number;
  readonly keep: boolean;
}

const score = (machine: Machine, { sequences, batch, targets, sharpness, keep }: ScoreCall): Scored => {
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { width, vocabularySize } = config;
  const record = runForward(machine, batch, keep);
  const hidden = arena.allocate(targets.rows * width);
  kernels.gatherRows(record.hidden, targets.sources, hidden, targets.rows, width);
  const logits = arena.allocate(targets.rows * vocabularySize);
  kernels.matmul(hidden, parameters.unembedding, logits, targets.rows, width, vocabularySize, false);
  const [logProbs, logSums, entropies] = [targets.rows, targets.rows, targets.rows].map((rows) => arena.allocate(rows));
  if (logProbs === undefined || logSums === undefined || entropies === undefined) throw new SequenceError('no rows');
  kernels.scoreTargets(logits, targets.tokens, logProbs, logSums, entropies, targets.rows, vocabularySize, sharpness);
  const read = (pointer: number): Float32Array[] => split(arena.floats(pointer, targets.rows), sequences);
  return { record, logits, logSums, scores: { logProbs: read(logProbs), entropies: read(entropies) } };
};

/** Log-probs and entropies of the sequences' tokens. @throws SequenceError, OutOfMemoryError */
export const scoreSequences = (
  machine: Machine,
  sequences: readonly ScoredSequence[],
  { temperature = 1 }: ScoreOptions = {},
): Scores => {
  for (const sequence of sequences) checkSequence(machine, sequence);
  return machine.arena.scope(() => {
    const batch = batchOf(machine, sequences);
    const targets = targetsOf(machine, batch, sequences);
    return score(machine, { sequences, batch, targets, sharpness: 1 / temperature, keep: false }).scores;
  });
};

/** What a loss says about scores: its derivative by each log-prob, one list a sequence. */
export type LossSlopes = readonly ArrayLike<number>[];

/** The untempered logits that a sequence's tokens were chosen from. [tokens * vocabulary] */
export type Logits = readonly Float32Array[];

/** What a loss says about logits: its derivative by each, one list a sequence; null: nothing about that sequence. */
export type LogitSlopes = readonly (ArrayLike<number> | null)[];

export interface LossOptions extends ScoreOptions {
  readonly slopesOf: (scores: Scores) => LossSlopes;
  /** For losses of whole distributions. Asked only if given, since it copies all logits. */
  readonly logitSlopesOf?: (logits: Logits) => LogitSlopes;
}

/**
 * Scores the sequences, asks for the loss's slopes at these scores, and adds the gradients of the parameters.
 * @throws SequenceError, OutOfMemoryError
 */
export const accumulateGradients = (
  machine: Machine,
  sequences: readonly ScoredSequence[],
  { temperature = 1, slopesOf, logitSlopesOf }: LossOptions,
  gradients: Gradients,
): Scores => {
  for (const sequence of sequences) checkSequence(machine, sequence);
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { width, vocabularySize } = config;
  const sharpness = 1 / temperature;
  return arena.scope(() => {
    const batch = batchOf(machine, sequences);
    const targets = targetsOf(machine, batch, sequences);
    const { record, logits, logSums, scores } = score(machine, { sequences, batch, targets, sharpness, keep: true });
    const slopes = arena.allocate(targets.rows);
    arena.floats(slopes, targets.rows).set(slopesOf(scores).flatMap((each) => Array.from(each)));
    const logitSlopes = logitSlopesOf?.(readLogits(machine, logits, sequences)) ?? [];
    kernels.scoreTargetsBackward(logits, targets.tokens, logSums, slopes, targets.rows, vocabularySize, sharpness);
    addLogitSlopes(machine, logits, sequences, logitSlopes);
    const dHidden = arena.allocateZeros(batch.rows * width);
    unembedBackward(machine, { record, targets, logits, dHidden }, gradients.at(parameters.layout.embedding));
    runBackward(machine, batch, { record, dHidden }, gradients);
    return scores;
  });
};

const readLogits = ({ arena, config }: Machine, logits: number, sequences: readonly ScoredSequence[]): Logits => {
  let at = logits;
  return sequences.map(({ ids, from }) => {
    const count = (ids.length - from) * config.vocabularySize;
    const own = arena.floats(at, count).slice();
    at += count * Float32Array.BYTES_PER_ELEMENT;
    return own;
  });
};

/** The logits' places hold their gradient by now. */
const addLogitSlopes = (
  { arena, config }: Machine,
  logits: number,
  sequences: readonly ScoredSequence[],
  slopes: LogitSlopes,
): void => {
  let at = logits;
  sequences.forEach(({ ids, from }, i) => {
    const count = (ids.length - from) * config.vocabularySize;
    const own = slopes[i] ?? null;
    if (own !== null) {
      const gradient = arena.floats(at, count);
      for (let j = 0; j < count; j += 1) gradient[j] = (gradient[j] as number) + (own[j] as number);
    }
    at += count * Float32Array.BYTES_PER_ELEMENT;
  });
};

/** The logits' gradient, back to the hidden rows and to the embedding: dE += dLogitsᵀ · hidden. */
const unembedBackward = (
  machine: Machine,
  { record, targets, logits, dHidden }: { record: ForwardRecord; targets: Targets; logits: number; dHidden: number },
  dEmbedding: number,
): void => {
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { width, vocabularySize } = config;
  arena.scope(() => {
    const rows = arena.allocate(targets.rows * width);
    const embedding = parameters.at(parameters.layout.embedding);
    kernels.matmul(logits, embedding, rows, targets.rows, vocabularySize, width, false);
    kernels.scatterRows(rows, targets.sources, dHidden, targets.rows, width);
    kernels.gatherRows(record.hidden, targets.sources, rows, targets.rows, width);
    const turned = arena.allocate(targets.rows * vocabularySize);
    kernels.transpose(logits, turned, targets.rows, vocabularySize);
    kernels.matmul(turned, rows, dEmbedding, vocabularySize, targets.rows, width, true);
  });
};

/**
 * Logits from which each token from `from` on was chosen, one row a token: what decoding would have seen, bit by bit.
 * @throws SequenceError, OutOfMemoryError
 */
export const nextLogits = (machine: Machine, ids: readonly number[], from: number): Float32Array[] => {
  const sequence = { ids, from };
  checkSequence(machine, sequence);
  const { arena, config, parameters } = machine;
  const { width, vocabularySize } = config;
  return arena.scope(() => {
    const rows = ids.length - from;
    const { hidden } = runForward(machine, batchOf(machine, [sequence]), false);
    const logits = arena.allocate(rows * vocabularySize);
    const first = hidden + (from - 1) * width * 4;
    arena.kernels.matmul(first, parameters.unembedding, logits, rows, width, vocabularySize, false);
    const values = arena.floats(logits, rows * vocabularySize);
    return Array.from({ length: rows }, (_, row) => values.slice(row * vocabularySize, (row + 1) * vocabularySize));
  });
};
