import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '@app/config';
import { scopeOf } from '@app/contracts';
import { DoorRefusedError } from './door-error';

/** What a client shows at the door. */
export interface Visitor {
  readonly authorization: string | undefined;
  /** Address of its socket; headers that name another one are not believed. */
  readonly address: string | undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a key is one of the list, in a time that depends on neither. */
const isKnownKey = (keys: readonly string[], key: string): boolean => {
  const shown = digest(key);
  let isKnown = false;
  for (const each of keys) if (timingSafeEqual(digest(each), shown)) isKnown = true;
  return isKnown;
};

const keyOf = ({ authorization }: Visitor): string | undefined => /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];

/**
 * Who a trainer is: the name that it gives itself, or its address; with keys, one of its key's. A trainer's request ids are
 * its own.
 */
export const identityOf = (visitor: Visitor, name: string | undefined, keys: readonly string[]): string => {
  const called = name ?? visitor.address ?? 'unknown';
  const key = keys.length === 0 ? undefined : keyOf(visitor);
  return key === undefined ? called : `${scopeOf({ apiKey: key })}/${called}`;
};

/**
 * Lets a client in, with one of the door's keys or, where there are none, from this machine.
 * @throws DoorRefusedError
 */
export const admit = (visitor: Visitor, keys: readonly string[]): void => {
  if (keys.length === 0) {
    if (visitor.address !== undefined && isLoopback(visitor.address)) return;
    throw new DoorRefusedError(
      403,
      'loopback_only',
      'the door has no keys, so only clients of its own machine come in: set door.api_keys',
    );
  }
  const key = keyOf(visitor);
  if (key !== undefined && isKnownKey(keys, key)) return;
  throw new DoorRefusedError(
    401,
    'invalid_api_key',
    "a key of the trainer's door is needed, as Authorization: Bearer <key>; see door.api_keys. Keys of the chat are not valid here",
  );
};
