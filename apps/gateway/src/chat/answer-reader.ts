import type { UpstreamResponse } from '@app/engines';
import type { AnswerRecorder, RecordedAnswer } from '../capture/answer-recorder';
import type { AnswerRelay } from './relay';

/** What an upstream may still say behind the end of its answer. */
const REST_LIMIT_BYTES = 65_536;
const REST_TIMEOUT_MS = 1000;

type Body = UpstreamResponse['body'];

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

/** Reads on to the end, which is near as a rule: that keeps the connection for the next request. */
const readRest = async (body: Body): Promise<void> => {
  const patience = setTimeout(() => body.destroy(), REST_TIMEOUT_MS);
  await body.dump({ limit: REST_LIMIT_BYTES }).catch(() => undefined);
  clearTimeout(patience);
};

/** The pieces of a body, for as long as somebody takes them. */
async function* piecesOfBody(body: Body): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    if (!body.readableEnded) void readRest(body);
  }
}

/** The pieces of a stream, and of those that go on with it. */
export async function* piecesOf(response: UpstreamResponse, { goOn }: AnswerReader): AsyncGenerator<Buffer> {
  for (let next: UpstreamResponse | null = response; next !== null; next = (await goOn?.()) ?? null) {
    yield* piecesOfBody(next.body);
  }
}
