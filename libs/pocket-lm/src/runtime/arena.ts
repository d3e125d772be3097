import { instantiateKernels, type Kernels } from './kernels';

const PAGE = 65_536;
const MOST_PAGES = 32_768;
/** What the kernels keep for themselves at the bottom of the memory: tables of their logarithm. */
const RESERVED = PAGE;
const VECTOR = 16;

/** Thrown when an allocation does not fit in WebAssembly's memory. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';

  constructor(bytes: number, options?: ErrorOptions) {
    super(`pocket model: ${bytes} bytes do not fit in memory; take fewer tokens at once`, options);
  }
}

/**
 * A stack of numbers in WebAssembly's memory, and the kernels that work on it. Pointers stay; views do not: growing the
 * memory detaches them, so take one where it is used.
 */
export class Arena {
  readonly kernels: Kernels;
  private readonly memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES });
  private top = RESERVED;

  constructor() {
    this.kernels = instantiateKernels(this.memory);
  }

  /** Room for `count` numbers of four bytes, whatever was there before. @returns its pointer, in bytes */
  allocate(count: number): number {
    const pointer = this.top;
    const end = pointer + Math.ceil((count * 4) / VECTOR) * VECTOR;
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.grow(missing, count * 4);
    this.top = end;
    return pointer;
  }

  /** Gives back, at its end, what was allocated within. */
  scope<T>(work: () => T): T {
    const { top } = this;
    try {
      return work();
    } finally {
      this.top = top;
    }
  }

  floats(pointer: number, count: number): Float32Array {
    return new Float32Array(this.memory.buffer, pointer, count);
  }

  integers(pointer: number, count: number): Int32Array {
    return new Int32Array(this.memory.buffer, pointer, count);
  }

  /** Room for zeros. */
  allocateZeros(count: number): number {
    const pointer = this.allocate(count);
    this.floats(pointer, count).fill(0);
    return pointer;
  }

  allocateIntegers(values: readonly number[]): number {
    const pointer = this.allocate(values.length);
    this.integers(pointer, values.length).set(values);
    return pointer;
  }

  /** Copies `count` numbers. */
  copy(from: number, to: number, count: number): void {
    this.floats(to, count).set(this.floats(from, count));
  }

  private grow(pages: number, bytes: number): void {
    try {
      this.memory.grow(pages);
    } catch (cause) {
      throw new OutOfMemoryError(bytes, { cause });
    }
  }
}
