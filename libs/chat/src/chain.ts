import { createHash } from 'node:crypto';
import type { ChatMessage } from './chat-message';
import { assistantForm, type NormalForm } from './normal-form';

/** Length of a hash in bytes; 32 characters of base64url, safe as a subject token and as a KV key. */
const HASH_BYTES = 24;

/** JSON of a list tells its members apart whatever they contain, so no two lists can be read as one another. */
const hash = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, HASH_BYTES).toString('base64url');

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

/** Hash of an answer alone: the `parentResponse` of the request that continues it, even where the history was cut. */
export const hashResponse = (response: ChatMessage): string => hash('response', assistantForm(response));
