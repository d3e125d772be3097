import { isLoopback } from './loopback';

test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost', 'LOCALHOST'])('%s is for this machine alone', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost.example.com', 'gateway', ''])(
  '%s may be reached by others',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
