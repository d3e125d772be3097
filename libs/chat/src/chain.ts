import { hash as digest } from 'node:crypto';
import type { ChatMessage } from './chat-message';
import { assistantForm, type NormalForm } from './normal-form';

/** Length of a hash in characters of base64url, 24 bytes; safe as a subject token and as a KV key. */
const HASH_LENGTH = 32;

/** JSON of a list tells its members apart whatever they contain, so no two lists can be read as one another. */
const hash = (...parts: readonly unknown[]): string =>
  digest('sha256', JSON.stringify(parts), 'base64url').slice(0, HASH_LENGTH);

/** Hash of the empty conversation of one scope: chains of two scopes never meet. */
export const startChain = (scope: string): string => hash('conversation', scope);

/** Hash of a conversation and one more message. */
export const continueChain = (chain: string, form: NormalForm): string => hash(chain, form);

/**
 * Hash of a conversation with its answer: the `parentChain` that the request will show which continues it.
 *
 * @param promptChain `promptChain` of the answered request
 */
export const extendChain = (promptChain: string, response: ChatMessage): string =>
  continueChain(promptChain, assistantForm(response));

/** Hash of one message alone. */
export const hashForm = (form: NormalForm): string => hash('message', form);

/**
 * Hash of an answer and what it answered: the `parentExchange` of the request that continues it, wherever the client cut
 * or changed the history before them.
 *
 * @param promptEnd `promptEnd` of the answered request
 */
export const hashExchange = (promptEnd: string, response: ChatMessage): string =>
  hash('exchange', promptEnd, assistantForm(response));

/** Hash of an answer alone: the `parentResponse` of the request that continues it behind nothing but a compaction's summary. */
export const hashResponse = (response: ChatMessage): string => hash('response', assistantForm(response));
