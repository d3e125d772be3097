import { responseKey, type TurnInfo } from '@app/contracts';

/** The session that a request itself names, in a header or in its text; undefined if it names none. */
export const hintOf = (info: TurnInfo): string | undefined => info.namedSession ?? info.runtimeSession;

/**
 * Key under which a conversation's turns and followers meet. A named session meets under a key of its own: equal
 * conversations of other sessions are none of its business, and a text that everybody sends makes no hot key.
 */
export const chainKey = (info: TurnInfo, chain: string): string =>
  info.namedSession === undefined ? `chain.${chain}` : `chain.${info.namedSession}.${chain}`;

/** Keys under which an answer is found where a client cuts its history, of hashes of it; none without a session. */
export const answerKeys = (info: TurnInfo, hashes: readonly (string | undefined)[]): readonly string[] => {
  const session = hintOf(info);
  if (session === undefined) return [];
  return hashes.filter((hash) => hash !== undefined).map((hash) => `response.${responseKey(session, hash)}`);
};
