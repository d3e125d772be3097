import kernels from './kernels.wasm.json';

type Pointer = number;

/** What `kernels/*.ts` exports: contracts stand there. Pointers are bytes into the memory, counts are numbers. */
export interface Kernels {
  matmul(a: Pointer, b: Pointer, c: Pointer, m: number, k: number, n: number, accumulate: boolean): void;
  transpose(from: Pointer, to: Pointer, rows: number, columns: number): void;
  normalize(
    x: Pointer,
    gain: Pointer,
    y: Pointer,
    inverse: Pointer,
    rows: number,
    width: number,
    epsilon: number,
  ): void;
  normalizeBackward(
    x: Pointer,
    gain: Pointer,
    inverse: Pointer,
    dy: Pointer,
    dx: Pointer,
    dGain: Pointer,
    rows: number,
    width: number,
  ): void;
  gelu(x: Pointer, y: Pointer, count: number): void;
  geluBackward(x: Pointer, dy: Pointer, count: number): void;
  add(x: Pointer, y: Pointer, count: number): void;
  gatherRows(table: Pointer, indices: Pointer, to: Pointer, rows: number, width: number): void;
  scatterRows(from: Pointer, indices: Pointer, table: Pointer, rows: number, width: number): void;
  rotate(
    x: Pointer,
    cosines: Pointer,
    sines: Pointer,
    rows: number,
    first: number,
    heads: number,
    headSize: number,
    stride: number,
    turn: 1 | -1,
  ): void;
  attend(
    q: Pointer,
    k: Pointer,
    v: Pointer,
    out: Pointer,
    logSums: Pointer,
    scores: Pointer,
    rows: number,
    first: number,
    heads: number,
    headSize: number,
    strideQ: number,
    strideKv: number,
  ): void;
  attendBackward(
    q: Pointer,
    k: Pointer,
    v: Pointer,
    out: Pointer,
    logSums: Pointer,
    scores: Pointer,
    dOut: Pointer,
    dq: Pointer,
    dk: Pointer,
    dv: Pointer,
    rows: number,
    heads: number,
    headSize: number,
    stride: number,
  ): void;
  scoreTargets(
    logits: Pointer,
    targets: Pointer,
    logProbs: Pointer,
    logSums: Pointer,
    entropies: Pointer,
    rows: number,
    size: number,
    sharpness: number,
  ): void;
  scoreTargetsBackward(
    logits: Pointer,
    targets: Pointer,
    logSums: Pointer,
    slopes: Pointer,
    rows: number,
    size: number,
    sharpness: number,
  ): void;
  sumSquares(x: Pointer, count: number): number;
  adamw(
    parameters: Pointer,
    gradients: Pointer,
    means: Pointer,
    squares: Pointer,
    count: number,
    scale: number,
    rate: number,
    beta1: number,
    beta2: number,
    root: number,
    epsilon: number,
    keep: number,
  ): void;
}

let compiled: WebAssembly.Module | undefined;

/** The kernels, working in this memory. */
export const instantiateKernels = (memory: WebAssembly.Memory): Kernels => {
  compiled ??= new WebAssembly.Module(Buffer.from(kernels.base64, 'base64'));
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  return instance.exports as unknown as Kernels;
};
