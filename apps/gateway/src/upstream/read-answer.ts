import type { UpstreamResponse } from '@app/engines';
import { OpenAiError } from '../errors/openai-error';

/** No answer is as long, with all its log-probs; what goes on beyond it has no end. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Counts an answer's bytes, so that no answer fills the memory. */
export class AnswerMeter {
  private size = 0;

  constructor(private readonly limit = MAX_ANSWER_BYTES) {}

  /** @throws OpenAiError 502 beyond the limit. */
  add(piece: Buffer): void {
    this.size += piece.length;
    if (this.size > this.limit) {
      throw new OpenAiError(502, 'upstream_endless', `the model's answer is longer than ${this.limit} bytes`);
    }
  }
}

/** A whole answer. @throws OpenAiError 502 for one that does not end. */
export const readWhole = async ({ headers, body }: Pick<UpstreamResponse, 'headers' | 'body'>): Promise<Buffer> => {
  // The HTTP client holds a server to the length that it has named.
  if (Number(headers['content-length']) <= MAX_ANSWER_BYTES) return Buffer.from(await body.arrayBuffer());
  const meter = new AnswerMeter();
  const pieces: Buffer[] = [];
  for await (const piece of body as AsyncIterable<Buffer>) {
    meter.add(piece);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
