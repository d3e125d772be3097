/** A tensor of float32. */
export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface TensorFile {
  readonly tensors: readonly Tensor[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Thrown for bytes that are no safetensors file of float32. */
export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError';

  constructor(problem: string, options?: ErrorOptions) {
    super(`safetensors: ${problem}`, options);
  }
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

const LENGTH_BYTES = 8;
const ALIGNMENT = 8;

/** `u64 header length | JSON header, padded with blanks | raw little-endian numbers` */
export const encodeSafetensors = ({ tensors, metadata }: TensorFile): Uint8Array => {
  const header: Record<string, Entry | Readonly<Record<string, string>>> = { __metadata__: metadata };
  let end = 0;
  for (const { name, shape, values } of tensors) {
    const start = end;
    end += values.byteLength;
    header[name] = { dtype: 'F32', shape, data_offsets: [start, end] };
  }
  const json = Buffer.from(JSON.stringify(header));
  const padded = Math.ceil(json.length / ALIGNMENT) * ALIGNMENT;
  const bytes = Buffer.alloc(LENGTH_BYTES + padded + end, ' ');
  bytes.writeBigUInt64LE(BigInt(padded));
  json.copy(bytes, LENGTH_BYTES);
  let at = LENGTH_BYTES + padded;
  for (const { values } of tensors) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return bytes;
};

const readHeader = (bytes: Buffer): { header: Record<string, unknown>; start: number } => {
  const length = bytes.length < LENGTH_BYTES ? bytes.length : Number(bytes.readBigUInt64LE());
  if (LENGTH_BYTES + length > bytes.length) throw new SafetensorsError('the file ends within its header');
  try {
    const header: unknown = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length));
    return { header: header as Record<string, unknown>, start: LENGTH_BYTES + length };
  } catch (cause) {
    throw new SafetensorsError('its header is no JSON', { cause });
  }
};

/** @throws SafetensorsError */
export const decodeSafetensors = (file: Uint8Array): TensorFile => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const { header, start } = readHeader(bytes);
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = Object.entries(entries as Record<string, Entry>).map(([name, entry]): Tensor => {
    const { dtype, shape, data_offsets: offsets } = entry;
    if (dtype !== 'F32') throw new SafetensorsError(`${name} is of ${dtype}; only F32 is read`);
    const [from, to] = offsets;
    const count = shape.reduce((product, length) => product * length, 1);
    if (to - from !== count * 4 || start + to > bytes.length) {
      throw new SafetensorsError(`${name} has ${to - from} bytes of ${count * 4}, or lies behind the end of the file`);
    }
    const values = new Float32Array(count);
    new Uint8Array(values.buffer).set(bytes.subarray(start + from, start + to));
    return { name, shape, values };
  });
  return { tensors, metadata: metadata as Record<string, string> };
};
