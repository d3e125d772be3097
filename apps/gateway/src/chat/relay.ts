import type { AnswerRecorder } from '../capture/answer-recorder';
import { clientView, type Additions } from './client-view';
import { parseAnswer } from './parse-answer';
import { dataOf, SseSplitter, withData } from './sse-splitter';

/** What a relay needs to know of its turn. */
export interface RelayOptions {
  readonly additions: Additions;
  readonly servedModel: string;
  readonly recorder: AnswerRecorder;
}

/** What a route makes of an upstream's answer: bytes for the client, and the record on the side. */
export interface AnswerRelay {
  /** Whether the stream is whole, whatever the upstream still has to say. */
  readonly isDone: boolean;
  /** What the client gets of a piece of a stream. */
  push(chunk: Buffer): Buffer[];
  /** What the upstream left behind the last whole event. */
  flush(): Buffer[];
  /** What the client gets of an answer that came whole. */
  whole(body: Buffer): Buffer | string;
}

const DONE = '[DONE]';

/** A whole answer: what the client gets of it, and the record of it. Bytes that are no JSON object go on as they are. */
export const relayBody = (body: Buffer, options: RelayOptions): Buffer | string => {
  const parsed = parseAnswer(body.toString('utf8'), options.additions.logprobs);
  if (parsed === null) {
    options.recorder.markUnreadable();
    return body;
  }
  const { answer, mended } = parsed;
  options.recorder.add(answer);
  // Only a chunk can be left with nothing: a whole answer without choices is the client's to see.
  const view = clientView(answer, options.additions, options.servedModel) ?? answer;
  return view === answer && !mended ? body : JSON.stringify(view);
};

/** Relays a stream event by event: each goes on at once, unchanged unless it holds something only we asked for. */
export class StreamRelay implements AnswerRelay {
  private readonly splitter = new SseSplitter();
  private done = false;

  constructor(private readonly options: RelayOptions) {}

  /** Whether `[DONE]` has been seen: the answer is whole, whatever the upstream still has to say. */
  get isDone(): boolean {
    return this.done;
  }

  /** The events that a piece of the upstream's stream completes, as the client gets them. */
  push(chunk: Buffer): Buffer[] {
    return this.splitter.push(chunk).flatMap((event) => this.relay(event));
  }

  /** What the upstream left behind the last whole event. */
  flush(): Buffer[] {
    const rest = this.splitter.flush();
    return rest.length === 0 ? [] : this.relay(rest);
  }

  whole(body: Buffer): Buffer | string {
    return relayBody(body, this.options);
  }

  private relay(event: Buffer): Buffer[] {
    const data = dataOf(event);
    if (data === null) return [event];
    if (data.trim() === DONE) {
      this.done = true;
      return [event];
    }
    const parsed = parseAnswer(data, this.options.additions.logprobs);
    if (parsed === null) {
      this.options.recorder.markUnreadable();
      return [event];
    }
    const { answer: chunk, mended } = parsed;
    this.options.recorder.add(chunk);
    const view = clientView(chunk, this.options.additions, this.options.servedModel);
    if (view === chunk && !mended) return [event];
    return view === null ? [] : [withData(event, JSON.stringify(view))];
  }
}
