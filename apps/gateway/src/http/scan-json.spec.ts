import fc from 'fast-check';
import { isDeeperThan, skipString } from './scan-json';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('isDeeperThan', () => {
  it('agrees with the depth of the parsed value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), fc.nat(7), (text, limit) => {
        expect(isDeeperThan(Buffer.from(text), limit)).toBe(depthOf(JSON.parse(text)) > limit);
      }),
    );
  });

  it('counts no brackets in strings', () => {
    expect(isDeeperThan(Buffer.from(String.raw`["[[[\"[[[","{\\"]`), 1)).toBe(false);
  });

  it.each(['"', '"\\', '["\\"', ']]]', '', '\\"[', '\ud800'])('comes to an end with %j, which is no JSON', (text) => {
    expect(isDeeperThan(Buffer.from(text), 1)).toBe(false);
  });
});

describe('skipString', () => {
  it('ends at the quote that is not escaped, or with the text', () => {
    expect(skipString(Buffer.from(String.raw`"a\"b\\" "`), 0)).toBe(8);
    expect(skipString(Buffer.from('"abc'), 0)).toBe(4);
  });
});
