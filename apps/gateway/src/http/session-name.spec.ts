import fc from 'fast-check';
import { decodeHeader, isSessionName } from './session-name';

describe('isSessionName', () => {
  it.each(['a', ' ', '*', '>', 'a.b', '\u0000', '__proto__', '🦀', 'x'.repeat(512)])('takes %j', (name) => {
    expect(isSessionName(name)).toBe(true);
  });

  it.each([undefined, null, 5, {}, '', 'x'.repeat(513), '\ud800', 'a\udc00b', '\udc00\ud800'])('refuses %j', (name) => {
    expect(isSessionName(name)).toBe(false);
  });
});

describe('decodeHeader', () => {
  it('gives back what a client wrote as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(decodeHeader(Buffer.from(name).toString('latin1'))).toBe(name);
      }),
    );
  });

  it('leaves what a client wrote as Latin-1', () => {
    expect(decodeHeader('\u00e9t\u00e9')).toBe('\u00e9t\u00e9');
  });
});
