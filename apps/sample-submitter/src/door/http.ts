import type { Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import type { Visitor } from './admit';

/** The part of fastify's request that is used here. */
export interface DoorRequest {
  readonly headers: { readonly authorization?: string; readonly traceparent?: string };
  readonly socket: Pick<Socket, 'remoteAddress'>;
  /** Of a body, in bytes. */
  readonly routeOptions: { readonly bodyLimit: number };
}

/** The part of fastify's reply that is used here. */
export interface DoorReply {
  readonly raw: ServerResponse;
  header(name: string, value: string): DoorReply;
  status(code: number): DoorReply;
  send(body: unknown): DoorReply;
}

/** Who sent a request. */
export const visitorOf = ({ headers, socket }: DoorRequest): Visitor => ({
  authorization: headers.authorization,
  address: socket.remoteAddress,
});

/** Aborted when the client goes before it has been answered. */
export const signalOf = (reply: DoorReply): AbortSignal => {
  // It may have gone while its request was being read.
  if (reply.raw.closed) return AbortSignal.abort();
  const controller = new AbortController();
  reply.raw.once('close', () => {
    controller.abort();
  });
  return controller.signal;
};
