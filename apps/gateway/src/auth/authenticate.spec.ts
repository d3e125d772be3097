import { scopeOf } from '@app/contracts';
import { OpenAiError } from '../errors/openai-error';
import { authenticate, type AccessRules } from './authenticate';

const KEYS: AccessRules = { apiKeys: ['first-key', 'second-key'], allowUnauthenticated: false };
const NO_KEYS: AccessRules = { apiKeys: [], allowUnauthenticated: false };
const OPEN: AccessRules = { apiKeys: [], allowUnauthenticated: true };

const refusal = (work: () => unknown): OpenAiError => {
  try {
    work();
  } catch (error) {
    if (error instanceof OpenAiError) return error;
    throw error;
  }
  throw new TypeError('the caller was let in');
};

describe('authenticate', () => {
  it.each([
    ['the first key', 'Bearer first-key', 'first-key'],
    ['a later key', 'Bearer second-key', 'second-key'],
    ['another way of writing', 'bearer   second-key', 'second-key'],
    ['space around it', '  Bearer first-key ', 'first-key'],
  ])('gives %s its own scope, wherever it comes from', (_what, header, apiKey) => {
    expect(authenticate(header, '10.0.0.7', KEYS)).toBe(scopeOf({ apiKey }));
    expect(authenticate(header, '127.0.0.1', KEYS)).toBe(scopeOf({ apiKey }));
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no key', 'Bearer '],
    ['another scheme', 'Basic Zmlyc3Qta2V5'],
    ['a key without a scheme', 'first-key'],
    ['an unknown key', 'Bearer third-key'],
    ['the beginning of a key', 'Bearer first-ke'],
    ['a key and more', 'Bearer first-keys'],
    ['two keys', 'Bearer first-key second-key'],
    ['another case', 'Bearer FIRST-KEY'],
  ])('refuses %s with 401, also on the own machine', (_what, header) => {
    for (const address of ['127.0.0.1', '10.0.0.7']) {
      const error = refusal(() => authenticate(header, address, KEYS));
      expect(error).toMatchObject({ status: 401, type: 'authentication_error', code: 'invalid_api_key' });
    }
  });

  it('does not repeat the key it refuses', () => {
    expect(refusal(() => authenticate('Bearer sk-secret', '127.0.0.1', KEYS)).message).not.toContain('sk-secret');
  });

  it('says where keys are configured', () => {
    expect(refusal(() => authenticate('Bearer x', '127.0.0.1', KEYS)).message).toContain('gateway.api_keys');
    expect(refusal(() => authenticate(undefined, '10.0.0.7', NO_KEYS)).message).toContain('gateway.api_keys');
  });

  it.each(['127.0.0.1', '127.8.0.9', '::1', '::ffff:127.0.0.1'])(
    'serves %s without keys, as one machine',
    (address) => {
      expect(authenticate(undefined, address, NO_KEYS)).toBe(scopeOf({ address: 'loopback' }));
    },
  );

  it('pays no heed to a key where none are configured', () => {
    expect(authenticate('Bearer anything', '127.0.0.1', NO_KEYS)).toBe(scopeOf({ address: 'loopback' }));
  });

  it.each(['10.0.0.7', '192.168.1.4', '::ffff:10.0.0.7', 'fe80::1', '', 'localhost.evil.example'])(
    'refuses %j without keys, unless the server is open to all',
    (address) => {
      expect(refusal(() => authenticate('Bearer first-key', address, NO_KEYS)).status).toBe(401);
      expect(authenticate(undefined, address, OPEN)).toBe(scopeOf({ address }));
    },
  );
});
