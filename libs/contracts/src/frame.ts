/** Arrays of numbers that a message carries beside its JSON head. */
export type FrameArrays = Readonly<Record<string, Int32Array | Float64Array | Uint8Array>>;

/** Members of a head whose JSON is there already, byte for byte what the head would have under these names. */
export type PrintedMembers = Readonly<Record<string, Uint8Array>>;

type ArrayType = 'i32' | 'f32' | 'f64' | 'u8';

interface ArrayEntry {
  readonly name: string;
  readonly type: ArrayType;
  readonly length: number;
}

const BYTES: Readonly<Record<ArrayType, number>> = { i32: 4, f32: 4, f64: 8, u8: 1 };
const ALIGNMENT = 8;
/** Bytes of the head's length. */
const PREFIX = 4;

/** Thrown when bytes are not a frame, or a frame that was cut. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const align = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;

const isFloat32 = (values: Float64Array): boolean => values.every((value) => Object.is(Math.fround(value), value));

const typeOf = (values: Int32Array | Float64Array | Uint8Array): ArrayType => {
  if (values instanceof Int32Array) return 'i32';
  if (values instanceof Uint8Array) return 'u8';
  return isFloat32(values) ? 'f32' : 'f64';
};

const bytesOf = (values: Int32Array | Float64Array | Uint8Array, type: ArrayType): Uint8Array => {
  const stored = type === 'f32' ? Float32Array.from(values) : values;
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
};

/** The frame's JSON: its head, with members whose JSON is there already, and what describes its arrays. */
const jsonOf = (head: unknown, printed: PrintedMembers, entries: readonly ArrayEntry[]): Uint8Array[] => {
  const text = `{"head":${JSON.stringify(head)}`;
  const rest = `,"arrays":${JSON.stringify(entries)}}`;
  const members = Object.entries(printed);
  if (members.length === 0) return [Buffer.from(text + rest)];
  let open = text.slice(0, -1);
  const pieces = members.flatMap(([name, bytes]) => {
    const before = `${open}${open.endsWith('{') ? '' : ','}${JSON.stringify(name)}:`;
    open = '';
    return [Buffer.from(before), bytes];
  });
  return [...pieces, Buffer.from(`}${rest}`)];
};

const PADDING = new Uint8Array(ALIGNMENT);

const paddingBehind = (size: number): Uint8Array => PADDING.subarray(0, align(size) - size);

const sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, piece) => sum + piece.byteLength, 0);

/** In memory of its own: a frame may wait for long, and one out of Node's pool would hold all that lies in its slab. */
const join = (pieces: readonly Uint8Array[]): Uint8Array => {
  const frame = Buffer.allocUnsafeSlow(sizeOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    frame.set(piece, at);
    at += piece.byteLength;
  }
  return frame;
};

/**
 * Encodes a JSON head and raw little-endian arrays: `u32 head length | head | padding | array | padding | …`, every array
 * on an 8-byte border. Float64 is stored as Float32 only where that loses nothing; the head says which.
 *
 * @param printed members of the head, which is an object then, as JSON that is there already: it is not printed a second time
 */
export const encodeFrame = (head: unknown, arrays: FrameArrays, printed: PrintedMembers = {}): Uint8Array => {
  const parts = Object.entries(arrays).map(([name, values]) => {
    const type = typeOf(values);
    return { entry: { name, type, length: values.length }, bytes: bytesOf(values, type) };
  });
  const json = jsonOf(
    head,
    printed,
    parts.map(({ entry }) => entry),
  );
  const length = sizeOf(json);
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32LE(length);
  const rest = parts.flatMap(({ bytes }) => [bytes, paddingBehind(bytes.byteLength)]);
  return join([prefix, ...json, paddingBehind(PREFIX + length), ...rest]);
};

const isEntry = (value: unknown): value is ArrayEntry => {
  if (typeof value !== 'object' || value === null) return false;
  const { name, type, length } = value as Partial<ArrayEntry>;
  const known = typeof type === 'string' && Object.hasOwn(BYTES, type);
  return typeof name === 'string' && known && Number.isInteger(length) && (length ?? -1) >= 0;
};

const parseHead = (text: string): { head: unknown; entries: ArrayEntry[] } => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Without the cause: a parser's message quotes what it was given.
    throw new FrameError("the frame's head is not JSON");
  }
  const { head, arrays } = (parsed ?? {}) as { head?: unknown; arrays?: unknown };
  if (!Array.isArray(arrays) || !arrays.every(isEntry)) {
    throw new FrameError("the frame's head does not describe its arrays");
  }
  return { head, entries: arrays };
};

const readArray = (entry: ArrayEntry, bytes: Uint8Array): Int32Array | Float64Array | Uint8Array => {
  // A copy starts at offset 0, which typed arrays need; the frame itself may lie anywhere in the network's buffer.
  const copy = Uint8Array.from(bytes);
  switch (entry.type) {
    case 'i32':
      return new Int32Array(copy.buffer);
    case 'f32':
      return Float64Array.from(new Float32Array(copy.buffer));
    case 'f64':
      return new Float64Array(copy.buffer);
    case 'u8':
      return copy;
  }
};

/**
 * Decodes what `encodeFrame` made. Float32 arrays come back as Float64Array.
 * @throws FrameError if the bytes are not a whole frame.
 */
export const decodeFrame = (frame: Uint8Array): { head: unknown; arrays: FrameArrays } => {
  if (frame.byteLength < 4) throw new FrameError(`a frame has at least 4 bytes, got ${frame.byteLength}`);
  const length = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  if (4 + length > frame.byteLength) {
    throw new FrameError(`the frame's head has ${length} bytes, but only ${frame.byteLength - 4} follow`);
  }
  const { head, entries } = parseHead(Buffer.from(frame.subarray(4, 4 + length)).toString());
  let offset = align(4 + length);
  const arrays = entries.map((entry) => {
    const end = offset + entry.length * BYTES[entry.type];
    if (end > frame.byteLength) throw new FrameError(`array ${entry.name} ends at ${end} of ${frame.byteLength} bytes`);
    const values = readArray(entry, frame.subarray(offset, end));
    offset = align(end);
    return [entry.name, values] as const;
  });
  if (offset !== frame.byteLength) {
    throw new FrameError(`the frame's head describes ${offset} bytes, the frame has ${frame.byteLength}`);
  }
  return { head, arrays: Object.fromEntries(arrays) };
};
