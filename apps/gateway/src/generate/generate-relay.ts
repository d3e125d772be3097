import { GenerateReader, withoutLogProbs, chatFinishReason, type ChatAnswer, type GeneratedPiece } from '@app/engines';
import type { AnswerRecorder } from '../capture/answer-recorder';
import { parseAnswer } from '../chat/parse-answer';
import type { AnswerRelay } from '../chat/relay';
import { dataOf, SseSplitter } from '../chat/sse-splitter';

type Json = Readonly<Record<string, unknown>>;

export interface GenerateRelayOptions {
  readonly answer: ChatAnswer;
  readonly recorder: AnswerRecorder;
  readonly promptIds: Int32Array;
  /** The answer's id, as clients see it. */
  readonly id: string;
  readonly servedModel: string;
  /** Whether the stream ends with the usage. */
  readonly includeUsage: boolean;
  /** Whether an engine that aborts does so to take new weights: the answer then goes on with them. */
  readonly isUpdating: () => boolean;
  /** Told when the engine turns out to repeat all that it has generated with each piece. */
  readonly onCumulative: () => void;
}

/** An engine let go of an answer before its end, to take new weights. */
export interface Interruption {
  /** The tokens behind which the answer is to go on. */
  readonly generated: readonly number[];
  /** It has let go of it before, and no token has come since. */
  readonly isRepeated: boolean;
}

const DONE = '[DONE]';
const DONE_EVENT = Buffer.from('data: [DONE]\n\n');

/** A client that sees nothing for long, while a tool call is being written, may take the connection for dead. */
const LONGEST_SILENCE_MS = 15_000;

/** Makes an OpenAI chat of a `/generate`'s answer, whole or as it streams, and records its tokens on the side. */
export class GenerateRelay implements AnswerRelay {
  private reader = new GenerateReader();
  /** Tokens of the answer so far, and how many of them came before the engine was interrupted last. */
  private readonly generated: number[] = [];
  private before = 0;
  private isInterrupted = false;
  private hadInterruption = false;
  private readonly splitter = new SseSplitter();
  private readonly created = Math.floor(Date.now() / 1000);
  private readonly head: string;
  private begun = false;
  private done = false;
  private sentAt = Date.now();
  private toldCumulative = false;

  constructor(private readonly options: GenerateRelayOptions) {
    const { id, servedModel: model } = options;
    const head = JSON.stringify({ id, object: 'chat.completion.chunk', created: this.created, model });
    this.head = `data: ${head.slice(0, -1)},"choices":`;
  }

  get isDone(): boolean {
    return this.done;
  }

  /** Where the answer is to go on, once; null where the engine has not been interrupted. */
  takeInterruption(): Interruption | null {
    if (!this.isInterrupted) return null;
    const { generated } = this;
    const isRepeated = this.hadInterruption && generated.length === this.before;
    this.checkReader();
    this.isInterrupted = false;
    this.hadInterruption = true;
    this.before = generated.length;
    this.reader = new GenerateReader();
    return { generated, isRepeated };
  }

  push(chunk: Buffer): Buffer[] {
    const events = this.splitter.push(chunk).flatMap((event) => this.relay(event));
    const now = Date.now();
    if (events.length === 0 && now - this.sentAt > LONGEST_SILENCE_MS) events.push(this.chunk('[]'));
    if (events.length > 0) this.sentAt = now;
    return events;
  }

  flush(): Buffer[] {
    const rest = this.splitter.flush();
    return rest.length === 0 ? [] : this.relay(rest);
  }

  whole(body: Buffer): Buffer {
    const parsed = parseAnswer(body.toString('utf8'), true);
    if (parsed === null) {
      this.options.recorder.markUnreadable();
      return body;
    }
    this.take(this.continued(this.reader.add(parsed.answer)));
    const { message, finishReason } = this.options.recorder.result();
    const { id, servedModel: model } = this.options;
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
    const completion = {
      id,
      object: 'chat.completion',
      created: this.created,
      model,
      choices: [choice],
      usage: this.usage(),
    };
    return Buffer.from(JSON.stringify(completion));
  }

  private relay(event: Buffer): Buffer[] {
    const data = dataOf(event);
    if (data === null) return [];
    if (data.trim() === DONE) {
      if (this.isInterrupted) return [];
      this.done = true;
      return [DONE_EVENT];
    }
    const parsed = parseAnswer(this.reader.isCumulative ? withoutLogProbs(data) : data, true);
    if (parsed === null) {
      this.options.recorder.markUnreadable();
      return [];
    }
    const piece = this.continued(this.reader.add(parsed.answer));
    if (this.reader.isCumulative && !this.toldCumulative) {
      this.toldCumulative = true;
      this.options.onCumulative();
    }
    if (piece.error !== null) {
      this.options.recorder.markUnreadable();
      return [Buffer.from(`data: ${JSON.stringify({ error: piece.error })}\n\n`)];
    }
    const deltas = this.take(piece);
    const chunks = deltas.map((delta) => this.choiceChunk(delta, null));
    return [...this.beginning(), ...chunks, ...this.ending(piece)];
  }

  /** The piece without its end, where that is no end: the engine lets go of all answers to take new weights. */
  private continued(piece: GeneratedPiece): GeneratedPiece {
    if (piece.finish?.type !== 'abort' || !this.options.isUpdating()) return piece;
    this.isInterrupted = true;
    this.options.recorder.markInterrupted();
    return { ...piece, finish: null };
  }

  /** The deltas of a piece, recorded with its tokens. */
  private take({ ids, text, logProbs, finish }: GeneratedPiece): Json[] {
    const { answer, recorder } = this.options;
    for (const id of ids) this.generated.push(id);
    const deltas = answer.push(ids, text);
    if (finish !== null) deltas.push(...answer.end());
    const logprobs = { content: logProbs.map((logprob) => ({ logprob })) };
    const metadata = { weight_version: this.reader.weightVersion };
    recorder.add({ metadata, choices: [{ index: 0, delta: {}, token_ids: ids, logprobs }] });
    for (const delta of deltas) recorder.add({ choices: [{ index: 0, delta }] });
    if (finish !== null) this.recordEnd(chatFinishReason(finish.type, answer.hasCalls));
    return deltas;
  }

  private recordEnd(finishReason: string): void {
    const { recorder, promptIds } = this.options;
    recorder.add({
      prompt_token_ids: Array.from(promptIds),
      choices: [{ index: 0, delta: {}, finish_reason: finishReason }],
      usage: { prompt_tokens: promptIds.length, completion_tokens: this.completionTokens },
    });
    this.checkReader();
  }

  /** Each part of an answer has to fit together, not only the last one. */
  private checkReader(): void {
    const { usage, isContradictory } = this.reader;
    const sent = this.options.promptIds.length + this.before;
    if (isContradictory || (usage.promptTokens ?? sent) !== sent) this.options.recorder.markContradictory();
  }

  private beginning(): Buffer[] {
    if (this.begun) return [];
    this.begun = true;
    return [this.choiceChunk({ role: 'assistant', content: '' }, null)];
  }

  private ending({ finish }: GeneratedPiece): Buffer[] {
    if (finish === null) return [];
    const said = this.choiceChunk({}, chatFinishReason(finish.type, this.options.answer.hasCalls));
    return this.options.includeUsage ? [said, this.chunk(`[],"usage":${JSON.stringify(this.usage())}`)] : [said];
  }

  private choiceChunk(delta: Json, finishReason: string | null): Buffer {
    const finish = JSON.stringify(finishReason);
    return this.chunk(`[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${finish}}]`);
  }

  private chunk(choices: string): Buffer {
    return Buffer.from(`${this.head}${choices}}\n\n`);
  }

  private get completionTokens(): number {
    return this.before + (this.reader.usage.completionTokens ?? 0);
  }

  private usage(): Json {
    const { completionTokens } = this;
    const { cachedTokens } = this.reader.usage;
    const prompt = this.options.promptIds.length;
    return {
      prompt_tokens: prompt,
      completion_tokens: completionTokens,
      total_tokens: prompt + completionTokens,
      ...(cachedTokens === null ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    };
  }
}
