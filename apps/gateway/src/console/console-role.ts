import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '@app/config';
import { OpenAiError } from '../errors/openai-error';

/** What a reader may: a viewer sees everything but text; an operator reads it, rates turns and deletes sessions. */
export type ConsoleRole = 'viewer' | 'operator';

export interface ConsoleAccess {
  readonly viewerKeys: readonly string[];
  readonly operatorKeys: readonly string[];
  /** Chats need a key: then the console does, too. */
  readonly hasChatKeys: boolean;
}

const BEARER = /^Bearer +(\S+)$/i;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares with every key in the same time, whether and where one matches. */
const isAmong = (key: Buffer, keys: readonly string[]): boolean =>
  keys.map((known) => timingSafeEqual(key, digest(known))).includes(true);

const refuse = (message: string): OpenAiError => new OpenAiError(401, 'invalid_api_key', message);

/**
 * The role of who asks: that of the key; without any keys everybody on this machine is an operator, and nobody else is let in.
 * @throws OpenAiError 401
 */
export const roleOf = (authorization: string | undefined, address: string, access: ConsoleAccess): ConsoleRole => {
  const { viewerKeys, operatorKeys, hasChatKeys } = access;
  if (viewerKeys.length + operatorKeys.length === 0) {
    if (!hasChatKeys && isLoopback(address)) return 'operator';
    throw refuse('the console has no keys here: set console.operator_keys or console.viewer_keys');
  }
  const shown = BEARER.exec(authorization?.trim() ?? '')?.[1];
  if (shown === undefined) throw refuse('send a key of the console as "Authorization: Bearer <key>"');
  const key = digest(shown);
  const [isOperator, isViewer] = [isAmong(key, operatorKeys), isAmong(key, viewerKeys)];
  if (isOperator) return 'operator';
  if (isViewer) return 'viewer';
  throw refuse('this key has no role here; see console.operator_keys and console.viewer_keys');
};

/** @throws OpenAiError 403 */
export const requireOperator = (role: ConsoleRole): void => {
  if (role === 'operator') return;
  throw new OpenAiError(403, 'operator_only', 'this key may look and change nothing; see console.operator_keys');
};
