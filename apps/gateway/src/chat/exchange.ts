import type { IncomingHttpHeaders } from 'node:http';
import type { Turn } from '../capture/turn-messages';
import type { BegunPrompt } from '../generate/generation.service';
import type { PolicyEngine } from '../upstream/policy-engine';
import type { ClientConnection } from './client-connection';
import type { ChatRequest } from './parse-request';
import type { Stopwatch } from './stopwatch';
import type { Watchdog } from './watchdog';

/** A chat request as it came in, its key already checked. */
export interface IncomingChat {
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly scope: string;
}

/** A chat that has been let in. */
export interface Admitted {
  readonly turnId: string;
  readonly chat: IncomingChat;
  readonly request: ChatRequest;
  readonly client: ClientConnection;
  readonly abort: AbortController;
  readonly ownWork: Stopwatch;
}

/** One chat on its way to the model and back. */
export interface Exchange extends Admitted {
  readonly watchdog: Watchdog;
  /** null where this turn is not recorded. */
  readonly turn: Turn | null;
  /** What its session's requests have in common. */
  readonly session: string;
  /** Where it is sent. */
  readonly engine: PolicyEngine;
  /** The client's headers that go to the model's server. */
  readonly forwarded: Readonly<Record<string, string>>;
  /** Its prompt for the engine's `/generate`; null where it goes another way. */
  readonly begun: BegunPrompt | null;
}

/** Request headers that mean something to the model's server as well. */
const FORWARDED = ['traceparent', 'tracestate', 'x-request-id'] as const;

/**
 * The client's headers that go to the model's server. With a trace of our own, its `traceparent` takes the place of the client's:
 * the server's spans are part of the turn's tree.
 */
export const forwardedHeaders = (headers: IncomingHttpHeaders, traceparent?: string): Record<string, string> => {
  const sent = traceparent === undefined ? headers : { ...headers, traceparent, tracestate: undefined };
  return Object.fromEntries(FORWARDED.flatMap((name) => (typeof sent[name] === 'string' ? [[name, sent[name]]] : [])));
};
