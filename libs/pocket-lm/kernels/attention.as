import { exponential, sumOf } from './exponential';

/**
 * Rotary positions, in place, for rows at positions from `first` on. `turn` is 1, or -1 for the way back. Component i of a
 * head is paired with component i + half, as Hugging Face's models do it.
 */
export function rotate(
  x: usize, cosines: usize, sines: usize, rows: i32, first: i32, heads: i32, headSize: i32, stride: i32, turn: f32,
): void {
  const half = headSize >> 1;
  const far = <usize>half << 2;
  for (let row = 0; row < rows; row++) {
    const table = <usize>((first + row) * half) << 2;
    for (let head = 0; head < heads; head++) {
      let at = x + (<usize>(row * stride + head * headSize) << 2);
      for (let i: usize = 0; i < far; i += 4) {
        const cosine = load<f32>(cosines + table + i);
        const sine = load<f32>(sines + table + i) * turn;
        const near = load<f32>(at), other = load<f32>(at + far);
        store<f32>(at, near * cosine - other * sine);
        store<f32>(at + far, other * cosine + near * sine);
        at += 4;
      }
    }
  }
}

/** scores[j] = x · ys[j] * scale for j < count. */
@inline
function dots(x: usize, ys: usize, scores: usize, count: i32, stride: usize, size: usize, scale: f32): void {
  for (let j = 0; j < count; j++) {
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < size; i += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(x + i), v128.load(ys + i)));
    store<f32>(scores + (<usize>j << 2), sumOf(sum) * scale);
    ys += stride;
  }
}

/** scores[j] becomes e^(scores[j] - shift) for j < count, and 0 up to the next multiple of 4. */
function exponentials(scores: usize, count: i32, shift: f32): void {
  const s = f32x4.splat(shift);
  const end = <usize>((count + 3) & ~3) << 2;
  for (let j: usize = 0; j < end; j += 16) {
    v128.store(scores + j, exponential(f32x4.sub(v128.load(scores + j), s)));
  }
  for (let j = <usize>count << 2; j < end; j += 4) store<f32>(scores + j, 0);
}

/**
 * Causal attention of `rows` queries at positions from `first` on, over the keys and values of all positions up to their
 * own. Strides are in floats; `scores` is scratch of one float a position, rounded up to four. The logarithm of each
 * softmax's sum is kept in logSums [rows, heads] for the way back.
 */
export function attend(
  q: usize, k: usize, v: usize, out: usize, logSums: usize, scores: usize,
  rows: i32, first: i32, heads: i32, headSize: i32, strideQ: i32, strideKv: i32,
): void {
  const size = <usize>headSize << 2, step = <usize>strideKv << 2;
  const scale: f32 = 1 / sqrt<f32>(<f32>headSize);
  for (let row = 0; row < rows; row++) {
    const count = first + row + 1;
    const padded = <usize>((count + 3) & ~3) << 2;
    for (let head = 0; head < heads; head++) {
      const offset = <usize>(head * headSize) << 2;
      dots(q + (<usize>(row * strideQ) << 2) + offset, k + offset, scores, count, step, size, scale);
      let most: f32 = -Infinity;
      for (let j: usize = 0; j < <usize>count << 2; j += 4) most = max<f32>(most, load<f32>(scores + j));
      exponentials(scores, count, most);
      let sums = f32x4.splat(0);
      for (let j: usize = 0; j < padded; j += 16) sums = f32x4.add(sums, v128.load(scores + j));
      const sum = sumOf(sums);
      store<f32>(logSums + (<usize>(row * heads + head) << 2), most + Mathf.log(sum));
      const to = out + (<usize>(row * heads * headSize) << 2) + offset;
      for (let i: usize = 0; i < size; i += 16) {
        let mean = f32x4.splat(0);
        let value = v + offset + i;
        for (let j: usize = 0; j < <usize>count << 2; j += 4) {
          mean = f32x4.add(mean, f32x4.mul(v128.load32_splat(scores + j), v128.load(value)));
          value += step;
        }
        v128.store(to + i, f32x4.div(mean, f32x4.splat(sum)));
      }
    }
  }
}

/**
 * Adds the gradients of {@link attend} over one whole sequence (first = 0). q, k, v and their gradients lie side by side in
 * rows of `stride` floats; `scores` is scratch of two floats a position, each half rounded up to four.
 */
export function attendBackward(
  q: usize, k: usize, v: usize, out: usize, logSums: usize, scores: usize,
  dOut: usize, dq: usize, dk: usize, dv: usize, rows: i32, heads: i32, headSize: i32, stride: i32,
): void {
  const size = <usize>headSize << 2, step = <usize>stride << 2;
  const scale: f32 = 1 / sqrt<f32>(<f32>headSize);
  const flows = scores + (<usize>((rows + 3) & ~3) << 2);
  for (let row = 0; row < rows; row++) {
    const count = row + 1;
    for (let head = 0; head < heads; head++) {
      const offset = <usize>(head * headSize) << 2;
      const here = <usize>row * step + offset;
      const at = (<usize>(row * heads * headSize) << 2) + offset;
      dots(q + here, k + offset, scores, count, step, size, scale);
      exponentials(scores, count, load<f32>(logSums + (<usize>(row * heads + head) << 2)));
      dots(dOut + at, v + offset, flows, count, step, size, 1);
      let level = f32x4.splat(0);
      for (let i: usize = 0; i < size; i += 16) {
        level = f32x4.add(level, f32x4.mul(v128.load(out + at + i), v128.load(dOut + at + i)));
      }
      const mean = sumOf(level);
      for (let j = 0; j < count; j++) {
        const p = load<f32>(scores + (<usize>j << 2));
        const ds = f32x4.splat(p * (load<f32>(flows + (<usize>j << 2)) - mean) * scale);
        const share = f32x4.splat(p);
        const there = <usize>j * step + offset;
        for (let i: usize = 0; i < size; i += 16) {
          v128.store(dq + here + i, f32x4.add(v128.load(dq + here + i), f32x4.mul(ds, v128.load(k + there + i))));
          v128.store(dk + there + i, f32x4.add(v128.load(dk + there + i), f32x4.mul(ds, v128.load(q + here + i))));
          v128.store(dv + there + i, f32x4.add(v128.load(dv + there + i), f32x4.mul(share, v128.load(dOut + at + i))));
        }
      }
    }
  }
}
