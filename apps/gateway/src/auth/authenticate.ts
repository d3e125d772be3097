import { createHash, timingSafeEqual } from 'node:crypto';
import { scopeOf } from '@app/contracts';
import { isLoopback } from '@app/config';
import { OpenAiError } from '../errors/openai-error';

/** Who may come in. */
export interface AccessRules {
  readonly apiKeys: readonly string[];
  /** Without keys, also clients of other machines are served. */
  readonly allowUnauthenticated: boolean;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares with every key in the same time, whether and where one matches. */
const matchesAny = (key: string, keys: readonly string[]): boolean => {
  const given = digest(key);
  return keys.map((known) => timingSafeEqual(given, digest(known))).includes(true);
};

const LOOPBACK = scopeOf({ address: 'loopback' });

const BEARER = /^Bearer +(\S+)$/i;

const refuse = (message: string): OpenAiError => new OpenAiError(401, 'invalid_api_key', message);

/**
 * Scope of a caller: of its key, or of its address where no keys are configured.
 * @throws OpenAiError 401
 */
export const authenticate = (authorization: string | undefined, address: string, rules: AccessRules): string => {
  if (rules.apiKeys.length === 0) {
    // One machine is one caller, whichever of its loopback addresses it comes from.
    if (isLoopback(address)) return LOOPBACK;
    if (rules.allowUnauthenticated) return scopeOf({ address });
    throw refuse('this server has no API keys and serves its own machine only; see gateway.api_keys');
  }
  const apiKey = BEARER.exec(authorization?.trim() ?? '')?.[1];
  if (apiKey === undefined) throw refuse('send your API key as "Authorization: Bearer <key>"');
  if (!matchesAny(apiKey, rules.apiKeys)) throw refuse('this API key is not known here; see gateway.api_keys');
  return scopeOf({ apiKey });
};
