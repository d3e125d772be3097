import { isLoopback, plainHttpWarning } from './loopback';

test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost', 'LOCALHOST'])('%s is for this machine alone', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost.example.com', 'gateway', ''])(
  '%s may be reached by others',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

test('who listens where others reach it is warned of plain HTTP, and nobody else', () => {
  expect(['127.0.0.1', '::1', 'localhost'].map((host) => plainHttpWarning(host, 'keys'))).toEqual([null, null, null]);
  for (const host of ['0.0.0.0', '::', '10.0.0.3', 'gateway.lan']) {
    expect(plainHttpWarning(host, 'keys')).toContain(`listening on ${host} with plain HTTP: keys cross the network`);
  }
});
