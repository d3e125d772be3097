import { hash } from 'node:crypto';

/** Length in characters of every key this file makes: 24 bytes in base64url. */
const KEY_LENGTH = 32;

/** The lengths keep the parts apart: no two lists of parts are the same text. */
const digest = (parts: readonly string[]): string =>
  hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url').slice(0, KEY_LENGTH);

/** Who is asking: an API key, or, where no keys are configured, a client address. */
export type Caller = { readonly apiKey: string } | { readonly address: string };

/**
 * The scope of every identifier a client sends: two callers never share a session by accident.
 * The result is safe as a subject token and as a KV key, and does not reveal the key.
 */
export const scopeOf = (caller: Caller): string =>
  'apiKey' in caller ? digest(['key', caller.apiKey]) : digest(['address', caller.address]);

/**
 * Key of a session: the client's own id inside its scope. Header, affinity and `Runtime:` ids share one namespace,
 * so that one session named in two ways is one session.
 */
export const sessionKey = (scope: string, sessionId: string): string => digest(['session', scope, sessionId]);

/** OpenClaw appends `:<boundary count>` to its affinity ids; the session is known without it. */
export const withoutBoundaryCount = (name: string): string => name.replace(/:\d+$/, '');

/** Keys of the sessions that a client may mean by a name: the one called so, and the one that an affinity header names so. */
export const sessionKeysOf = (scope: string, name: string): string[] => {
  const stripped = withoutBoundaryCount(name);
  const names = stripped === '' ? [name] : [name, stripped];
  return [...new Set(names)].map((each) => sessionKey(scope, each));
};

/** Key of the session that a turn without any identification begins. */
export const rootSessionKey = (turnId: string): string => digest(['root', turnId]);

/** One program of one caller, told apart by its User-Agent: it either sends tools or it does not. */
export const clientKey = (scope: string, userAgent: string): string => digest(['client', scope, userAgent]);

/** Scoped hash of a value that narrows a search (`prompt_cache_key`, `user`) without identifying a session. */
export const narrowKey = (scope: string, value: string): string => digest(['narrow', scope, value]);

/** Key under which a session's own answers are found when the message chain is cut (compaction). */
export const responseKey = (session: string, responseHash: string): string =>
  digest(['response', session, responseHash]);

const TOKEN = /^[-\w]{1,64}$/;

/** Whether an id may stand in a subject: letters, digits, `-` and `_` only, so no wildcard and no dot. */
export const isSubjectToken = (id: string): boolean => TOKEN.test(id);
