import fc from 'fast-check';
import { membersAt, scanObject } from './scan-json';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const isDeeperThan = (text: string, limit: number): boolean => scanObject(Buffer.from(text), limit) === null;

describe('scanObject', () => {
  it('agrees with the depth of the parsed value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), fc.nat(7), (text, limit) => {
        expect(isDeeperThan(text, limit)).toBe(depthOf(JSON.parse(text)) > limit);
      }),
    );
  });

  it('counts no brackets in strings', () => {
    expect(isDeeperThan(String.raw`["[[[\"[[[","{\\"]`, 1)).toBe(false);
  });

  it.each(['"', '"\\', '["\\"', ']]]', '', '\\"[', '\ud800', '{"a"', '{"a":', '{:', '{,,', '{"a":1,"b', '}{"a":1}'])(
    'comes to an end with %j, which is no JSON',
    (text) => {
      expect(isDeeperThan(text, 1)).toBe(false);
    },
  );

  it('finds every member of an object where it stands', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
        const raw = Buffer.from(JSON.stringify(object, null, 1));
        const members = membersAt(raw, scanObject(raw, Infinity) ?? []);
        const read = members.map(({ key, value }) => [key, JSON.parse(value.toString()) as unknown]);
        expect(read).toEqual(Object.entries(JSON.parse(raw.toString()) as object));
      }),
    );
  });

  it('finds none in a list', () => {
    expect(scanObject(Buffer.from('["a", {"b": 1}, "c"]'), Infinity)).toEqual([]);
  });
});
