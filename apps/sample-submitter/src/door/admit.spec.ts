import { admit } from './admit';

const come = (keys: string[], authorization?: string, address = '127.0.0.1') => {
  try {
    admit({ authorization, address }, keys);
    return 'in';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('admit', () => {
  it('lets in who has one of the keys, from anywhere', () => {
    expect(come(['a', 'b'], 'Bearer b', '10.0.0.1')).toBe('in');
    expect(come(['a', 'b'], 'bearer a')).toBe('in');
  });

  it.each([undefined, '', 'b', 'Basic b', 'Bearer', 'Bearer ', 'Bearer c', 'Bearer bb', 'Bearer a b'])(
    'keeps out %p where there are keys, also from this machine',
    (authorization) => {
      expect(come(['a', 'b'], authorization)).toBe('invalid_api_key');
    },
  );

  it.each([[['a']], [[]]])('names the setting to whoever is kept out, with the keys %j', (keys) => {
    expect(() => {
      admit({ authorization: undefined, address: '10.0.0.1' }, keys);
    }).toThrow('door.api_keys');
  });

  it('lets in this machine alone where there are no keys', () => {
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map((address) => come([], undefined, address))).toEqual([
      'in',
      'in',
      'in',
    ]);
    expect(['10.0.0.1', '::ffff:10.0.0.1', ''].map((address) => come([], 'Bearer a', address))).toEqual([
      'loopback_only',
      'loopback_only',
      'loopback_only',
    ]);
  });
});
