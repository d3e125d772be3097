import { exponential, sumOf } from './exponential';

/**
 * Log-probability of each row's target under softmax(logits * sharpness), the logarithm of the softmax's sum, and the
 * entropy in nats. size is a multiple of 4.
 */
export function scoreTargets(
  logits: usize,
  targets: usize,
  logProbs: usize,
  logSums: usize,
  entropies: usize,
  rows: i32,
  size: i32,
  sharpness: f32,
): void {
  const bytes = (<usize>size) << 2;
  const s = f32x4.splat(sharpness);
  for (let row: usize = 0; row < (<usize>rows) << 2; row += 4) {
    let tops = f32x4.splat(-Infinity);
    for (let i: usize = 0; i < bytes; i += 16) tops = f32x4.max(tops, f32x4.mul(v128.load(logits + i), s));
    const top = max<f32>(
      max<f32>(f32x4.extract_lane(tops, 0), f32x4.extract_lane(tops, 1)),
      max<f32>(f32x4.extract_lane(tops, 2), f32x4.extract_lane(tops, 3)),
    );
    let sums = f32x4.splat(0),
      weighted = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const z = f32x4.sub(f32x4.mul(v128.load(logits + i), s), f32x4.splat(top));
      const e = exponential(z);
      sums = f32x4.add(sums, e);
      weighted = f32x4.add(weighted, f32x4.mul(e, z));
    }
    const sum = sumOf(sums);
    const logSum = top + Mathf.log(sum);
    const target = load<i32>(targets + row);
    store<f32>(logProbs + row, load<f32>(logits + ((<usize>target) << 2)) * sharpness - logSum);
    store<f32>(logSums + row, logSum);
    store<f32>(entropies + row, Mathf.log(sum) - sumOf(weighted) / sum);
    logits += bytes;
  }
}

/** logits become, in place, the gradient at them of sum(slopes[row] * logProb[row]). */
export function scoreTargetsBackward(
  logits: usize,
  targets: usize,
  logSums: usize,
  slopes: usize,
  rows: i32,
  size: i32,
  sharpness: f32,
): void {
  const bytes = (<usize>size) << 2;
  const s = f32x4.splat(sharpness);
  for (let row: usize = 0; row < (<usize>rows) << 2; row += 4) {
    const slope = load<f32>(slopes + row) * sharpness;
    const shift = f32x4.splat(load<f32>(logSums + row));
    const pull = f32x4.splat(-slope);
    for (let i: usize = 0; i < bytes; i += 16) {
      const p = exponential(f32x4.sub(f32x4.mul(v128.load(logits + i), s), shift));
      v128.store(logits + i, f32x4.mul(p, pull));
    }
    const target = logits + ((<usize>load<i32>(targets + row)) << 2);
    store<f32>(target, load<f32>(target) + slope);
    logits += bytes;
  }
}
