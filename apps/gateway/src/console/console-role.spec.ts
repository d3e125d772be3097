import { requireOperator, roleOf } from './console-role';

const KEYS = { viewerKeys: ['see'], operatorKeys: ['do'], hasChatKeys: true };
const NONE = { viewerKeys: [], operatorKeys: [], hasChatKeys: false };

describe('roleOf', () => {
  it.each([
    ['Bearer see', 'viewer'],
    ['bearer  do', 'operator'],
  ])('knows the role of %s', (authorization, role) => {
    expect(roleOf(authorization, '10.0.0.1', KEYS)).toBe(role);
  });

  it.each([undefined, 'Bearer other', 'Bearer', 'see'])('refuses %s, from this machine as well', (authorization) => {
    expect(() => roleOf(authorization, '127.0.0.1', KEYS)).toThrow(/console/);
  });

  it('makes everybody on this machine an operator where no key is needed for anything', () => {
    expect(roleOf(undefined, '::1', NONE)).toBe('operator');
    expect(() => roleOf(undefined, '10.0.0.1', NONE)).toThrow('console.operator_keys');
  });

  it('lets nobody in by the address where chats need a key: a proxy on this machine brings everybody', () => {
    expect(() => roleOf(undefined, '127.0.0.1', { ...NONE, hasChatKeys: true })).toThrow('console.operator_keys');
  });
});

test('only an operator may change something', () => {
  expect(() => {
    requireOperator('viewer');
  }).toThrow(/look/);
  requireOperator('operator');
});
