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

/** Hash of one message alone. All others are made of it, so that a long text is read once. */
export const hashForm = (form: NormalForm): string => hash('message', form);

/** Hash of a conversation and one more message. */
export const continueChain = (chain: string, message: string): string => hash('continued', chain, message);

/** Hash of an answer and what it answered. */
export const hashExchange = (promptEnd: string, answer: string): string => hash('exchange', promptEnd, answer);

/** Hash by which an answer alone is found. */
export const hashResponse = (answer: string): string => hash('response', answer);

/** Hashes by which the request that continues an answer finds it. */
export interface AnswerHashes {
  /** Of the conversation with the answer: the `parentChain` of that request. */
  readonly chain: string;
  /** Of the answer and what it answered: its `parentExchange`, wherever the client cut or changed the history before them. */
  readonly exchange: string | null;
  /** Of the answer alone: its `parentResponse` behind nothing but a compaction's summary. */
  readonly response: string;
}

/** @param prompt the answered request as `describeConversation` reads it */
export const hashAnswer = (
  prompt: { readonly promptChain: string; readonly promptEnd: string | null },
  response: ChatMessage,
): AnswerHashes => {
  const answer = hashForm(assistantForm(response));
  return {
    chain: continueChain(prompt.promptChain, answer),
    exchange: prompt.promptEnd === null ? null : hashExchange(prompt.promptEnd, answer),
    response: hashResponse(answer),
  };
};
