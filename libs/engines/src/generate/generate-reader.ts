import { isRecord } from '@app/chat';

type Json = Readonly<Record<string, unknown>>;

/** What one piece of a `/generate` answer brings. */
export interface GeneratedPiece {
  /** Ids that no earlier piece had. */
  readonly ids: readonly number[];
  /** The engine's own text that no earlier piece had. */
  readonly text: string;
  /** Log-probs that no earlier piece had; null where an entry has no number. They may come behind their ids. */
  readonly logProbs: readonly (number | null)[];
  /** Why it ended; null while it goes on. */
  readonly finish: GenerateFinish | null;
  readonly error: Json | null;
}

export interface GenerateFinish {
  readonly type: string;
  /** A text that ended the answer. */
  readonly stopText: string | null;
}

export interface GenerateUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
}

const count = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Entries are `[log-prob, id, text]`. */
const idOf = (entry: unknown): number => listOf(entry)[1] as number;

const logProbOf = (entry: unknown): number | null => {
  const [value] = listOf(entry);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

const finishOf = (reason: unknown): GenerateFinish | null => {
  if (!isRecord(reason) || typeof reason.type !== 'string') return null;
  return { type: reason.type, stopText: typeof reason.matched === 'string' ? reason.matched : null };
};

/**
 * Reads the answer of a `/generate`, whole or streamed. An SGLang sends with each piece all that it has generated so far,
 * or, with `--incremental-streaming-output`, only what is new; the count of tokens tells which. Those of 2025 send no ids
 * beside the log-probs, or, with `--stream-output`, new ids with all text and log-probs so far.
 */
export class GenerateReader {
  usage: GenerateUsage = { promptTokens: null, completionTokens: null, cachedTokens: null };
  /** The engine's name of its weights at this piece. */
  weightVersion: string | null = null;
  /** Whether pieces repeat text and log-probs so far: a stream's cost then grows with the square of its length. */
  isCumulative = false;
  /** Whether ids, their count and the ids of the log-probs contradict each other. */
  isContradictory = false;
  private readonly ids: number[] = [];
  private logProbs = 0;
  private textLength = 0;

  /** Never throws on what an engine sends: what does not fit is left out, and noted. */
  add(piece: Json): GeneratedPiece {
    const meta = isRecord(piece.meta_info) ? piece.meta_info : {};
    this.note(meta);
    const entries = listOf(meta.output_token_logprobs);
    const sent = Array.isArray(piece.output_ids) ? (piece.output_ids as number[]) : entries.map(idOf);
    const total = count(meta.completion_tokens) ?? sent.length;
    const ids = this.freshIds(sent, total);
    for (const id of ids) this.ids.push(id);
    const logProbs = this.freshLogProbs(entries, ids.length);
    const text = this.freshText(piece.text, this.isCumulative || sent.length === total);
    const finish = finishOf(meta.finish_reason);
    const error = isRecord(piece.error) ? piece.error : null;
    return { ids, text, logProbs, finish, error };
  }

  private note(meta: Json): void {
    const { usage } = this;
    this.usage = {
      promptTokens: count(meta.prompt_tokens) ?? usage.promptTokens,
      completionTokens: count(meta.completion_tokens) ?? usage.completionTokens,
      cachedTokens: count(meta.cached_tokens) ?? usage.cachedTokens,
    };
    if (typeof meta.weight_version === 'string') this.weightVersion = meta.weight_version;
  }

  private freshIds(sent: readonly number[], total: number): readonly number[] {
    const seen = this.ids.length;
    if (sent.length === total) {
      if (seen > 0 && total > seen) this.isCumulative = true;
      return sent.slice(seen);
    }
    if (sent.length !== total - seen) this.isContradictory = true;
    return sent;
  }

  private freshText(text: unknown, isAllSoFar: boolean): string {
    if (typeof text !== 'string') return '';
    const fresh = isAllSoFar ? text.slice(this.textLength) : text;
    this.textLength += fresh.length;
    return fresh;
  }

  private freshLogProbs(entries: readonly unknown[], freshIds: number): (number | null)[] {
    const all = this.ids.length;
    if (entries.length === all && this.logProbs > 0) this.isCumulative = true;
    const fresh = entries.length === all ? entries.slice(this.logProbs) : entries.length === freshIds ? entries : [];
    fresh.forEach((entry, i) => {
      if (idOf(entry) !== this.ids[this.logProbs + i]) this.isContradictory = true;
    });
    this.logProbs += fresh.length;
    return fresh.map(logProbOf);
  }
}

const LOG_PROBS = /"output_token_logprobs":\s*\[\[/;
const UNFINISHED = /"finish_reason":\s*null/;
const IDS = /"output_ids":/;

/**
 * The piece of a cumulative stream without its log-probs, which the last piece repeats in full: reading them each time
 * would take most of a long answer's time. A piece whose ids stand nowhere else keeps them.
 */
export const withoutLogProbs = (data: string): string => {
  if (!UNFINISHED.test(data) || !IDS.test(data)) return data;
  const found = LOG_PROBS.exec(data);
  if (found === null) return data;
  const end = data.indexOf(']]', found.index);
  return end === -1 ? data : `${data.slice(0, found.index)}"output_token_logprobs":[${data.slice(end + 1)}`;
};
