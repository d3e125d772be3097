import { exponential, sumOf } from './exponential';

/** y = x / rms(x) * gain for each row; 1 / rms is kept for the way back. */
export function normalize(x: usize, gain: usize, y: usize, inverse: usize, rows: i32, width: i32, epsilon: f32): void {
  const bytes = <usize>width << 2;
  for (let row = 0; row < rows; row++) {
    let squares = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const v = v128.load(x + i);
      squares = f32x4.add(squares, f32x4.mul(v, v));
    }
    const scale: f32 = 1 / sqrt<f32>(sumOf(squares) / <f32>width + epsilon);
    store<f32>(inverse + (<usize>row << 2), scale);
    const s = f32x4.splat(scale);
    for (let i: usize = 0; i < bytes; i += 16) {
      v128.store(y + i, f32x4.mul(f32x4.mul(v128.load(x + i), s), v128.load(gain + i)));
    }
    x += bytes;
    y += bytes;
  }
}

/** Adds the gradients of {@link normalize} to dx and dGain. */
export function normalizeBackward(
  x: usize, gain: usize, inverse: usize, dy: usize, dx: usize, dGain: usize, rows: i32, width: i32,
): void {
  const bytes = <usize>width << 2;
  for (let row = 0; row < rows; row++) {
    const scale = load<f32>(inverse + (<usize>row << 2));
    const s = f32x4.splat(scale);
    let dots = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const flow = f32x4.mul(v128.load(dy + i), v128.load(x + i));
      dots = f32x4.add(dots, f32x4.mul(flow, v128.load(gain + i)));
      v128.store(dGain + i, f32x4.add(v128.load(dGain + i), f32x4.mul(flow, s)));
    }
    const pull = f32x4.splat((sumOf(dots) * scale * scale * scale) / <f32>width);
    for (let i: usize = 0; i < bytes; i += 16) {
      const direct = f32x4.mul(f32x4.mul(v128.load(dy + i), v128.load(gain + i)), s);
      const change = f32x4.sub(direct, f32x4.mul(v128.load(x + i), pull));
      v128.store(dx + i, f32x4.add(v128.load(dx + i), change));
    }
    x += bytes;
    dy += bytes;
    dx += bytes;
  }
}

// gelu(x) = x * sigmoid(2u), u = sqrt(2 / pi) * (x + 0.044715 x^3): the tanh form, written with one exponential.
@inline
function gate(x: v128): v128 {
  const cubic = f32x4.add(f32x4.mul(f32x4.mul(x, x), f32x4.splat(0.044715)), f32x4.splat(1));
  const twice = f32x4.mul(f32x4.mul(x, cubic), f32x4.splat(-1.5957691216));
  return f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), exponential(twice)));
}

/** y = gelu(x); count is a multiple of 4. */
export function gelu(x: usize, y: usize, count: i32): void {
  const bytes = <usize>count << 2;
  for (let i: usize = 0; i < bytes; i += 16) {
    const v = v128.load(x + i);
    v128.store(y + i, f32x4.mul(v, gate(v)));
  }
}

/** dy becomes the gradient at x, in place. */
export function geluBackward(x: usize, dy: usize, count: i32): void {
  const bytes = <usize>count << 2;
  const one = f32x4.splat(1);
  for (let i: usize = 0; i < bytes; i += 16) {
    const v = v128.load(x + i);
    const open = gate(v);
    const slope = f32x4.mul(
      f32x4.add(f32x4.mul(f32x4.mul(v, v), f32x4.splat(0.134145)), one),
      f32x4.splat(1.5957691216),
    );
    const bend = f32x4.mul(f32x4.mul(v, slope), f32x4.mul(open, f32x4.sub(one, open)));
    v128.store(dy + i, f32x4.mul(v128.load(dy + i), f32x4.add(open, bend)));
  }
}

/** y += x; count is a multiple of 4. */
export function add(x: usize, y: usize, count: i32): void {
  const bytes = <usize>count << 2;
  for (let i: usize = 0; i < bytes; i += 16) v128.store(y + i, f32x4.add(v128.load(y + i), v128.load(x + i)));
}

/** to[i] = table[indices[i]] for rows of this width. */
export function gatherRows(table: usize, indices: usize, to: usize, rows: i32, width: i32): void {
  const bytes = <usize>width << 2;
  for (let row = 0; row < rows; row++) {
    memory.copy(to + <usize>row * bytes, table + <usize>load<i32>(indices + (<usize>row << 2)) * bytes, bytes);
  }
}

/** table[indices[i]] += from[i] for rows of this width. */
export function scatterRows(from: usize, indices: usize, table: usize, rows: i32, width: i32): void {
  const bytes = <usize>width << 2;
  for (let row = 0; row < rows; row++) {
    add(from + <usize>row * bytes, table + <usize>load<i32>(indices + (<usize>row << 2)) * bytes, width);
  }
}
