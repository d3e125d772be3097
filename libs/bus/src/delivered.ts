import type { Msg } from '@nats-io/transport-node';
import { INFO_HEADER, TRACE_HEADER, type WireMessage } from '@app/contracts';

/** A message as a handler sees it. */
export interface Delivery extends WireMessage {
  /** Sequence in its stream. */
  readonly sequence: number;
  /** 1 for the first delivery. */
  readonly deliveries: number;
  /** `traceparent` of the span that it was published in. */
  readonly trace?: string | undefined;
}

/**
 * Where a delivered message stands, as its reply subject says:
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…`, from newer servers `$JS.ACK.<domain>.<account>.<stream>.…`.
 */
export const readPlace = (reply: string): Pick<Delivery, 'sequence' | 'deliveries'> => {
  const tokens = reply.split('.');
  const at = tokens.length === 9 ? 4 : 6;
  return { deliveries: Number(tokens[at]), sequence: Number(tokens[at + 1]) };
};

/** Whether a message is one of a stream; what else comes is the server's word about the asking. */
export const isDelivered = ({ reply }: Msg): boolean => reply?.startsWith('$JS.ACK.') === true;

export const deliveryOf = ({ subject, headers, data, reply }: Msg): Delivery => ({
  subject,
  info: headers?.get(INFO_HEADER) ?? '',
  data,
  trace: headers?.get(TRACE_HEADER),
  ...readPlace(reply ?? ''),
});
