import type { Msg } from '@nats-io/transport-node';
import { BusUnavailableError, isRetryable, NotYetError, OutageError } from './errors';
import { jitter } from './document';

/** A message that has failed this often is not tried again. */
export const MAX_DELIVERIES = 8;

const NANOS_PER_MS = 1_000_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

/** What is to be done with a message after its handler has run. */
export type Settlement =
  { readonly kind: 'ack' } | { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'dead' };

/** Delay before delivery `deliveries + 1`, in milliseconds, without jitter. */
export const retryDelayMs = (deliveries: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (deliveries - 1));

/**
 * Decides over a message that was not handled: what is on its way is waited for, an outage, the bus's own included, as long as it
 * lasts, another retryable error is tried again up to the eighth delivery, anything else is dead at once.
 */
export const settleFailure = (error: unknown, deliveries: number): Settlement => {
  if (error instanceof OutageError) return { kind: 'retry', delayMs: error.delayMs };
  if (error instanceof NotYetError)
    return { kind: 'retry', delayMs: error.delayMs ?? jitter(retryDelayMs(deliveries)) };
  if (error instanceof BusUnavailableError || (isRetryable(error) && deliveries < MAX_DELIVERIES)) {
    return { kind: 'retry', delayMs: jitter(retryDelayMs(deliveries)) };
  }
  return { kind: 'dead' };
};

/** Takes a message off the consumer. */
export const acknowledge = (message: Msg): void => {
  message.respond('+ACK');
};

/** Has a message delivered again after a pause. */
export const deliverLater = (message: Msg, delayMs: number): void => {
  const delay = Math.round(delayMs) * NANOS_PER_MS;
  message.respond(delay === 0 ? '-NAK' : `-NAK ${JSON.stringify({ delay })}`);
};

/** Tells the server that the message is still being worked on, which starts its ack wait anew. */
export const keepAlive = (message: Msg): void => {
  message.respond('+WPI');
};
