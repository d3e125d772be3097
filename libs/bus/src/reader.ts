import { JetStreamError, type StoredMsg } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import { INFO_HEADER, type StreamName, type WireMessage } from '@app/contracts';
import type { Requests } from './requests';

const SUBJECT = 'Nats-Subject';
const NOT_FOUND = 404;

/** Which message: the last one on a subject, or the one at a place in the stream. */
export type ReadQuery = { readonly last_by_subj: string } | { readonly seq: number };

/** Asks the one server that decides over a stream; null: there is no such message. */
export type AskLeader = (stream: StreamName, query: ReadQuery) => Promise<StoredMsg | null>;

/** Reads single messages, from any server that holds them (JetStream's direct get). */
export class Reader {
  constructor(
    private readonly requests: Requests,
    private readonly askLeader: AskLeader,
  ) {}

  /** null: there is none. @throws JetStreamError if the server refuses, UnansweredError if no word comes */
  async read(stream: StreamName, query: ReadQuery): Promise<WireMessage | null> {
    const { headers, data } = await this.ask(stream, query);
    if (headers?.code === NOT_FOUND) return this.readFromLeader(stream, query);
    if (headers === undefined || headers.code !== 0) {
      throw new JetStreamError(`${stream} cannot be read: ${headers?.description ?? 'an answer without headers'}`);
    }
    return { subject: headers.last(SUBJECT), info: headers.get(INFO_HEADER), data };
  }

  private ask(stream: StreamName, query: ReadQuery): Promise<Msg> {
    const route = `$JS.API.DIRECT.GET.${stream}`;
    // With the subject in the route permissions can be given by it.
    return 'seq' in query
      ? this.requests.ask(route, JSON.stringify(query))
      : this.requests.ask(`${route}.${query.last_by_subj}`, '');
  }

  /** A copy may be behind: that there is no message is only certain of the leader. */
  private async readFromLeader(stream: StreamName, query: ReadQuery): Promise<WireMessage | null> {
    const stored = await this.askLeader(stream, query);
    if (stored === null) return null;
    return { subject: stored.subject, info: stored.header.get(INFO_HEADER), data: stored.data };
  }
}
