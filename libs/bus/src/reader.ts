import { JetStreamError } from '@nats-io/jetstream';
import { INFO_HEADER, type StreamName, type WireMessage } from '@app/contracts';
import type { Requests } from './requests';

const SUBJECT = 'Nats-Subject';
const NOT_FOUND = 404;

/** Which message: the last one on a subject, or the one at a place in the stream. */
export type ReadQuery = { readonly last_by_subj: string } | { readonly seq: number };

/** Reads single messages, from any server that holds them (JetStream's direct get). */
export class Reader {
  constructor(private readonly requests: Requests) {}

  /** null: there is none. @throws JetStreamError if the server refuses, UnansweredError if no word comes */
  async read(stream: StreamName, query: ReadQuery): Promise<WireMessage | null> {
    const route = `$JS.API.DIRECT.GET.${stream}`;
    // With the subject in the route permissions can be given by it.
    const { headers, data } =
      'seq' in query
        ? await this.requests.ask(route, JSON.stringify(query))
        : await this.requests.ask(`${route}.${query.last_by_subj}`, '');
    if (headers?.code === NOT_FOUND) return null;
    if (headers === undefined || headers.code !== 0) {
      throw new JetStreamError(`${stream} cannot be read: ${headers?.description ?? 'an answer without headers'}`);
    }
    return { subject: headers.last(SUBJECT), info: headers.get(INFO_HEADER), data };
  }
}
