import { responseKey, type TurnInfo } from '@app/contracts';

/** The session that a request itself names, in a header or in its text; undefined if it names none. */
export const hintOf = (info: TurnInfo): string | undefined => info.namedSession ?? info.runtimeSession;

/**
 * Key under which a conversation's turns and followers meet. A named session meets under a key of its own: equal
 * conversations of other sessions are none of its business, and a text that everybody sends makes no hot key.
 */
export const chainKey = (info: TurnInfo, chain: string): string =>
  info.namedSession === undefined ? `chain.${chain}` : `chain.${info.namedSession}.${chain}`;

/** Key under which an answer is found by its own text where a client cuts its history; undefined without a session. */
export const answerKey = (info: TurnInfo, response: string | undefined): string | undefined => {
  const session = hintOf(info);
  return session === undefined || response === undefined ? undefined : `response.${responseKey(session, response)}`;
};
