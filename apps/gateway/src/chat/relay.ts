import type { AnswerRecorder } from '../capture/answer-recorder';
import { clientView, type Additions } from './client-view';
import { dataOf, SseSplitter, withData } from './sse-splitter';

/** What a relay needs to know of its turn. */
export interface RelayOptions {
  readonly additions: Additions;
  readonly servedModel: string;
  readonly recorder: AnswerRecorder;
}

type Json = Record<string, unknown>;

const DONE = '[DONE]';

const parseObject = (text: string): Json | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
};

/** A whole answer: what the client gets of it, and the record of it. Bytes that are no JSON object go on as they are. */
export const relayBody = (body: Buffer, options: RelayOptions): Buffer => {
  const answer = parseObject(body.toString('utf8'));
  if (answer === null) {
    options.recorder.markUnreadable();
    return body;
  }
  options.recorder.add(answer);
  const view = clientView(answer, options.additions, options.servedModel);
  // Only a chunk can be left with nothing: a whole answer without choices is the client's to see.
  return view === answer || view === null ? body : Buffer.from(JSON.stringify(view));
};

/** Relays a stream event by event: each goes on at once, unchanged unless it holds something only we asked for. */
export class StreamRelay {
  private readonly splitter = new SseSplitter();

  constructor(private readonly options: RelayOptions) {}

  /** The events that a piece of the upstream's stream completes, as the client gets them. */
  push(chunk: Buffer): Buffer[] {
    return this.splitter.push(chunk).flatMap((event) => this.relay(event));
  }

  /** What the upstream left behind the last whole event. */
  flush(): Buffer[] {
    const rest = this.splitter.flush();
    return rest.length === 0 ? [] : this.relay(rest);
  }

  private relay(event: Buffer): Buffer[] {
    const data = dataOf(event);
    if (data === null || data.trim() === DONE) return [event];
    const chunk = parseObject(data);
    if (chunk === null) {
      this.options.recorder.markUnreadable();
      return [event];
    }
    this.options.recorder.add(chunk);
    const view = clientView(chunk, this.options.additions, this.options.servedModel);
    if (view === chunk) return [event];
    return view === null ? [] : [withData(event, JSON.stringify(view))];
  }
}
