import fc from 'fast-check';
import { decodeFrame, encodeFrame, FrameError, type FrameArrays } from './frame';

const array = fc.oneof(
  fc.int32Array({ maxLength: 9 }),
  fc.float64Array({ maxLength: 9 }),
  fc.float32Array({ maxLength: 9 }).map((values) => Float64Array.from(values)),
  fc.uint8Array({ maxLength: 20 }),
);
const arrays = fc.dictionary(fc.string({ maxLength: 5 }), array, { maxKeys: 4 });
const head = fc.jsonValue();

const roundTrip = (given: unknown, values: FrameArrays = {}): ReturnType<typeof decodeFrame> =>
  decodeFrame(encodeFrame(given, values));

/** A frame whose JSON is given as it is. */
const frameOf = (text: string, behind = 0): Uint8Array => {
  const json = Buffer.from(text);
  const frame = new Uint8Array(Math.ceil((4 + json.length) / 8) * 8 + behind);
  new DataView(frame.buffer).setUint32(0, json.length, true);
  frame.set(json, 4);
  return frame;
};

describe('frames', () => {
  it('lies in memory of its own, so that one that waits holds nothing else', () => {
    const frame = encodeFrame({ a: 'b' }, { ids: Int32Array.of(1, 2) });
    expect(frame.buffer.byteLength).toBe(frame.byteLength);
  });

  it('hold members that were printed elsewhere, with every bit that a parser would lose', () => {
    const printed = { big: Buffer.from('12345678901234567890'), 'a"b': Buffer.from('[1, {"x": 2}]') };
    for (const rest of [{}, { small: 1 }]) {
      const frame = encodeFrame(rest, { values: Int32Array.of(7) }, printed);
      expect(Buffer.from(frame).includes('"big":12345678901234567890')).toBe(true);
      const { head: back, arrays: numbers } = decodeFrame(frame);
      expect(back).toEqual({ ...rest, big: Number('12345678901234567890'), 'a"b': [1, { x: 2 }] });
      expect(numbers).toEqual({ values: Int32Array.of(7) });
    }
  });

  it('come back as they were, every head and every bit of every number', () => {
    fc.assert(
      fc.property(head, arrays, (given, values) => {
        const back = roundTrip(given, values);
        expect(back.head).toEqual(JSON.parse(JSON.stringify(given)));
        expect(Object.keys(back.arrays)).toEqual(Object.keys(values));
        for (const [name, expected] of Object.entries(values)) {
          const got = back.arrays[name]!;
          expect(got.constructor).toBe(expected.constructor);
          expect(got).toHaveLength(expected.length);
          expected.forEach((value, i) => {
            expect(Object.is(got[i], value)).toBe(true);
          });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('come back from anywhere in a larger buffer', () => {
    fc.assert(
      fc.property(head, arrays, fc.nat({ max: 9 }), (given, values, shift) => {
        const frame = encodeFrame(given, values);
        const buffer = new Uint8Array(frame.length + shift + 3).fill(0xab);
        buffer.set(frame, shift);
        expect(decodeFrame(buffer.subarray(shift, shift + frame.length))).toEqual(decodeFrame(frame));
      }),
    );
  });

  it('are refused wherever they are cut, and with anything behind them', () => {
    fc.assert(
      fc.property(head, arrays, fc.nat(), (given, values, at) => {
        const frame = encodeFrame(given, values);
        expect(() => decodeFrame(frame.subarray(0, at % frame.length))).toThrow(FrameError);
        expect(() => decodeFrame(Buffer.concat([frame, Buffer.alloc((at % 16) + 1)]))).toThrow(FrameError);
      }),
      { numRuns: 500 },
    );
  });

  it('keep NaN, both zeros, both infinities and the smallest numbers', () => {
    const values = Float64Array.of(NaN, 0, -0, Infinity, -Infinity, Number.MIN_VALUE, Number.MAX_VALUE, 0.1);
    const { values: back } = roundTrip(null, { values }).arrays;
    expect([...back!].every((value, i) => Object.is(value, values[i]))).toBe(true);
  });

  it('store float64 in half the bytes where that loses nothing, and only there', () => {
    const size = (...numbers: number[]): number => encodeFrame(null, { a: Float64Array.from(numbers) }).length;
    const many = Array.from({ length: 100 }, () => -0.5);
    expect(size(...many, NaN, -0) - size()).toBeLessThan(102 * 4 + 16);
    expect(size(...many, 0.1) - size()).toBeGreaterThanOrEqual(101 * 8);
    expect(roundTrip(null, { a: Float64Array.of(0.1, 2 ** -1074) }).arrays.a).toEqual(Float64Array.of(0.1, 2 ** -1074));
  });

  it('read views of a part of a buffer, not the buffer', () => {
    const whole = Int32Array.of(1, 2, 3, 4);
    expect(roundTrip(null, { ids: whole.subarray(1, 3) }).arrays.ids).toEqual(Int32Array.of(2, 3));
  });

  it('give arrays of their own, that nobody else writes to', () => {
    const frame = encodeFrame(null, { ids: Int32Array.of(7) });
    const { ids } = decodeFrame(frame).arrays;
    frame.fill(0);
    expect(ids).toEqual(Int32Array.of(7));
  });

  it('stand as the format of version 1 says: length, head, arrays on borders of eight bytes, little end first', () => {
    const frame = encodeFrame({ a: 1 }, { ids: Int32Array.of(1, -2), p: Float64Array.of(-0.5) });
    const json =
      '{"head":{"a":1},"arrays":[{"name":"ids","type":"i32","length":2},{"name":"p","type":"f32","length":1}]}';
    const expected = Buffer.concat([
      frameOf(json),
      Buffer.from([1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]),
      Buffer.from([0, 0, 0, 0xbf, 0, 0, 0, 0]),
    ]);
    expect(Buffer.from(frame).equals(expected)).toBe(true);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['three bytes', new Uint8Array(3)],
    ['a head that is longer than the frame', Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0)],
    ['an empty head', frameOf('')],
    ['no JSON', frameOf('{"head":')],
    ['null', frameOf('null')],
    ['a number', frameOf('7')],
    ['no arrays', frameOf('{"head":1}')],
    ['arrays that are no list', frameOf('{"arrays":{}}')],
    ['an array that is null', frameOf('{"arrays":[null]}')],
    ['an array without a name', frameOf('{"arrays":[{"type":"u8","length":0}]}')],
    ['a type nobody knows', frameOf('{"arrays":[{"name":"a","type":"i64","length":0}]}')],
    ['a type that objects inherit', frameOf('{"arrays":[{"name":"a","type":"toString","length":0}]}')],
    ['a negative length', frameOf('{"arrays":[{"name":"a","type":"u8","length":-8}]}')],
    ['half a number', frameOf('{"arrays":[{"name":"a","type":"u8","length":0.5}]}', 8)],
    ['an array that is longer than the frame', frameOf('{"arrays":[{"name":"a","type":"f64","length":2}]}', 8)],
  ])('refuse %s', (_what, bytes) => {
    expect(() => decodeFrame(bytes)).toThrow(FrameError);
  });

  it('do not quote what they cannot read', () => {
    let error: unknown;
    try {
      decodeFrame(frameOf('my secret'));
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(FrameError);
    expect((error as FrameError).message).not.toContain('secret');
    expect((error as FrameError).cause).toBeUndefined();
  });
});
