import { type ChatMessage, extractLogProbs, isRecord } from '@app/chat';
import type { SeenSpan } from './version-spans';

/** What the model answered, put together from one body or from a stream's chunks. */
export interface RecordedAnswer {
  readonly message: ChatMessage;
  readonly finishReason: string | null;
  readonly promptIds: readonly number[] | null;
  readonly responseIds: readonly number[] | null;
  /** One entry per token as the engine sent them; null where an entry had no number. */
  readonly logProbs: readonly (number | null)[];
  /** The engine's names of the weights that made it, oldest first; a whole answer tells the last one alone. */
  readonly weightVersions: readonly string[];
  /** Whether the first of these names is that of the first token's weights. */
  readonly isStartTold: boolean;
  /** When its tokens came, oldest first; empty for an answer that came whole. */
  readonly spans: readonly SeenSpan[];
  /** As the engine's usage says; null where it says nothing. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Whether the engine sent an error in place of the rest. */
  readonly failed: boolean;
  /** Whether ids contradict each other: those of the prompt and the engine's count, those of tokens and of log-probs. */
  readonly isContradictory: boolean;
}

export interface RecorderOptions {
  /** The policy version of this moment. */
  readonly versionNow: () => number;
  /** Whether tokens come as they are made. */
  readonly isStreamed: boolean;
}

const AT_ONCE: RecorderOptions = { versionNow: () => 0, isStreamed: false };

/** Ids are stored as Int32. */
const MAX_ID = 0x7fffffff;

type Json = Readonly<Record<string, unknown>>;

interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const countOf = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);

const isId = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ID;

const idsOf = (value: unknown): number[] | null =>
  Array.isArray(value) && value.every(isId) ? (value as number[]) : null;

/**
 * Follows an answer on the side of the stream. Never throws on what an engine sends: an odd piece leaves a gap that
 * `judgeCapture` finds.
 */
export class AnswerRecorder {
  private content = '';
  private reasoning = '';
  private readonly calls = new Map<number, ToolCall>();
  private finishReason: string | null = null;
  private promptIds: number[] | null = null;
  private responseIds: number[] | null = null;
  private readonly logProbs: (number | null)[] = [];
  private readonly weightVersions: string[] = [];
  private isStartTold = false;
  private promptTokens: number | null = null;
  private completionTokens: number | null = null;
  private failed = false;
  private isContradictory = false;
  private readonly spans: { version: number; weights: string | null; tokens: number }[] = [];
  private comesInParts: boolean;

  constructor(private readonly options: RecorderOptions = AT_ONCE) {
    this.comesInParts = options.isStreamed;
  }

  /** Takes a whole answer or one chunk of a stream. */
  add(chunk: Json): void {
    if (chunk.error !== undefined && chunk.error !== null) this.failed = true;
    // The name is that of the piece's own tokens.
    if (isRecord(chunk.metadata)) this.addWeightVersion(chunk.metadata.weight_version);
    if (Array.isArray(chunk.choices)) {
      for (const choice of chunk.choices) if (isRecord(choice) && (choice.index ?? 0) === 0) this.addChoice(choice);
    }
    if (isRecord(chunk.sglext)) this.addExtension(chunk.sglext);
    if (Array.isArray(chunk.prompt_token_ids)) this.promptIds = idsOf(chunk.prompt_token_ids);
    if (isRecord(chunk.usage)) {
      this.promptTokens = countOf(chunk.usage.prompt_tokens) ?? this.promptTokens;
      this.completionTokens = countOf(chunk.usage.completion_tokens) ?? this.completionTokens;
    }
  }

  /** A piece could not be read, or never came: the record has a gap. */
  markUnreadable(): void {
    this.failed = true;
  }

  /** What the engine said of the tokens does not fit together. */
  markContradictory(): void {
    this.isContradictory = true;
  }

  /** The engine let go of the answer to take new weights: what has come is one part of it, by the version of this moment. */
  markInterrupted(): void {
    this.comesInParts = true;
  }

  get finished(): boolean {
    return this.finishReason !== null;
  }

  result(): RecordedAnswer {
    const calls = [...this.calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => call);
    return {
      message: {
        role: 'assistant',
        content: this.content === '' && calls.length > 0 ? null : this.content,
        ...(this.reasoning === '' ? {} : { reasoning_content: this.reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      finishReason: this.finishReason,
      promptIds: this.promptIds,
      responseIds: this.responseIds,
      logProbs: this.logProbs,
      weightVersions: this.weightVersions,
      isStartTold: this.isStartTold,
      spans: this.comesInParts ? this.spans : [],
      promptTokens: this.promptTokens,
      completionTokens: this.completionTokens,
      failed: this.failed,
      isContradictory: this.isContradictory,
    };
  }

  private addChoice(choice: Json): void {
    const piece = isRecord(choice.delta) ? choice.delta : choice.message;
    if (isRecord(piece)) {
      this.content += textOf(piece.content);
      this.reasoning += textOf(piece.reasoning_content ?? piece.reasoning);
      if (Array.isArray(piece.tool_calls)) {
        for (const [i, call] of piece.tool_calls.entries()) this.addToolCall(call, i);
      }
    }
    const logProbs = extractLogProbs(choice);
    for (const logProb of logProbs) this.logProbs.push(logProb);
    // Log-probs may all come at the end, ids come with their tokens.
    this.addSpan(Array.isArray(choice.token_ids) ? choice.token_ids.length : logProbs.length);
    if (Array.isArray(choice.token_ids)) this.addIds(choice.token_ids);
    if (typeof choice.finish_reason === 'string') this.finishReason = choice.finish_reason;
  }

  private addWeightVersion(name: unknown): void {
    if (typeof name !== 'string' || name === this.weightVersions.at(-1)) return;
    if (this.weightVersions.length === 0) this.isStartTold = this.options.isStreamed && this.spans.length === 0;
    this.weightVersions.push(name);
  }

  private addSpan(tokens: number): void {
    if (tokens === 0) return;
    const version = this.options.versionNow();
    const weights = this.weightVersions.at(-1) ?? null;
    const last = this.spans.at(-1);
    if (last?.version === version && last.weights === weights) last.tokens += tokens;
    else this.spans.push({ version, weights, tokens });
  }

  private addToolCall(call: unknown, position: number): void {
    if (!isRecord(call)) return;
    const index = typeof call.index === 'number' ? call.index : this.indexWithoutOne(call.id, position);
    const known = this.calls.get(index) ?? { id: '', type: 'function', function: { name: '', arguments: '' } };
    if (typeof call.id === 'string' && call.id !== '') known.id = call.id;
    if (isRecord(call.function)) {
      known.function.name += textOf(call.function.name);
      known.function.arguments += textOf(call.function.arguments);
    }
    this.calls.set(index, known);
  }

  /** Some servers send no index: a new id begins a call, a piece without one goes on with the last. */
  private indexWithoutOne(id: unknown, position: number): number {
    if (typeof id !== 'string' || id === '') return Math.max(position, this.calls.size - 1);
    const known = [...this.calls].find(([, call]) => call.id === id);
    return known?.[0] ?? this.calls.size;
  }

  /** A list that holds something else than ids leaves fewer ids than log-probs. */
  private addIds(given: readonly unknown[]): void {
    const ids = idsOf(given);
    if (ids === null) return;
    this.responseIds ??= [];
    for (const id of ids) this.responseIds.push(id);
  }

  private addExtension(extension: Json): void {
    if (extension.input_ids !== undefined) this.promptIds = idsOf(extension.input_ids);
    if (Array.isArray(extension.output_ids)) this.responseIds = idsOf(extension.output_ids[0]);
  }
}
