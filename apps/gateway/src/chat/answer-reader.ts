import type { UpstreamResponse } from '@app/engines';
import type { AnswerRecorder, RecordedAnswer } from '../capture/answer-recorder';
import type { AnswerRelay } from './relay';

type Continue = () => Promise<UpstreamResponse | null>;

/** Who makes what of an answer. */
export interface AnswerReader {
  readonly relay: AnswerRelay;
  readonly recorder: AnswerRecorder;
  /** What follows an answer that was interrupted; null where it was not. */
  readonly goOn?: Continue;
}

/** What became of an answer. */
export type PassedOn =
  | { readonly answer: RecordedAnswer; readonly delivered: boolean }
  | { readonly answer: null; readonly failure: string };

async function* continuedPieces(response: UpstreamResponse, goOn: Continue): AsyncGenerator<Buffer> {
  for (let next: UpstreamResponse | null = response; next !== null; next = await goOn()) {
    yield* next.body as AsyncIterable<Buffer>;
  }
}

/** The pieces of a stream, and of those that go on with it. */
export const piecesOf = (response: UpstreamResponse, { goOn }: AnswerReader): AsyncIterable<Buffer> =>
  goOn === undefined ? (response.body as AsyncIterable<Buffer>) : continuedPieces(response, goOn);
