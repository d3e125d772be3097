import { readAddress } from './address';

describe('readAddress', () => {
  it('takes user and password out of the URL, and shows neither', () => {
    const address = readAddress('nats://rl:p%40ss@10.0.0.1:4222, tls://10.0.0.2:4223');
    expect(address.options).toEqual({
      servers: ['nats://10.0.0.1:4222', 'tls://10.0.0.2:4223'],
      user: 'rl',
      pass: 'p@ss',
    });
    expect(address.shown).toBe('nats://10.0.0.1:4222, tls://10.0.0.2:4223');
  });

  it('takes a password as it stands where its percent signs are no escapes', () => {
    expect(readAddress('nats://rl:50%off@127.0.0.1:4222').options).toMatchObject({ user: 'rl', pass: '50%off' });
  });

  it('asks as nobody where no user is named', () => {
    expect(readAddress('nats://127.0.0.1:4222').options).toEqual({ servers: ['nats://127.0.0.1:4222'] });
  });
});
