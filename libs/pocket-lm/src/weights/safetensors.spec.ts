import fc from 'fast-check';
import { decodeSafetensors, encodeSafetensors } from './safetensors';

describe('safetensors', () => {
  it('reads back what it wrote', () => {
    const tensor = fc.record({
      name: fc.string({ minLength: 1 }).filter((name) => name !== '__metadata__' && name !== '__proto__'),
      values: fc.float32Array({ maxLength: 20 }),
    });
    const tensors = fc.uniqueArray(tensor, { selector: ({ name }) => name });
    fc.assert(
      fc.property(tensors, fc.string(), (list, note) => {
        // Names that are numbers come first in a JSON object: the order is not part of the format.
        const file = {
          tensors: list.map(({ name, values }) => ({ name: `t${name}`, shape: [values.length], values })),
          metadata: { note },
        };
        expect(decodeSafetensors(encodeSafetensors(file))).toEqual(file);
      }),
    );
  });

  it('writes the bytes of the format', () => {
    const values = Float32Array.from([1, -2]);
    const bytes = Buffer.from(encodeSafetensors({ tensors: [{ name: 'w', shape: [2, 1], values }], metadata: {} }));
    const length = Number(bytes.readBigUInt64LE());
    expect(length % 8).toBe(0);
    expect(JSON.parse(bytes.toString('utf8', 8, 8 + length))).toEqual({
      __metadata__: {},
      w: { dtype: 'F32', shape: [2, 1], data_offsets: [0, 8] },
    });
    expect([bytes.readFloatLE(8 + length), bytes.readFloatLE(12 + length), bytes.length - length]).toEqual([1, -2, 16]);
  });

  const written = encodeSafetensors({
    tensors: [{ name: 'w', shape: [2], values: Float32Array.from([1, 2]) }],
    metadata: {},
  });
  const replaced = (from: string, to: string): Uint8Array =>
    Buffer.from(Buffer.from(written).toString('latin1').replace(from, to), 'latin1');

  it.each([
    ['an empty file', new Uint8Array(), 'ends within its header'],
    ['a file that was cut', written.slice(0, -1), 'w has 8 bytes of 8, or lies behind the end'],
    ['a header that is no JSON', replaced('{', '['), 'its header is no JSON'],
    ['numbers of another type', replaced('F32', 'F16'), 'w is of F16; only F32 is read'],
    ['a shape that does not fit', replaced('[2]', '[3]'), 'w has 8 bytes of 12'],
  ])('refuses %s', (_, bytes, problem) => {
    expect(() => decodeSafetensors(bytes)).toThrow(problem);
  });
});
