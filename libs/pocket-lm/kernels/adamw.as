/** Sum of squares in float64. */
export function sumSquares(x: usize, count: i32): f64 {
  let sum: f64 = 0;
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4) {
    const value = <f64>load<f32>(x + i);
    sum += value * value;
  }
  return sum;
}

/**
 * One step of AdamW on `count` parameters, a multiple of 4. Gradients are scaled first; rate and epsilon come with the
 * bias corrections worked in: rate / (1 - beta1^t), and root = 1 / (1 - beta2^t); `keep` is 1 - rate * decay.
 */
export function adamw(
  parameters: usize,
  gradients: usize,
  means: usize,
  squares: usize,
  count: i32,
  scale: f32,
  rate: f32,
  beta1: f32,
  beta2: f32,
  root: f32,
  epsilon: f32,
  keep: f32,
): void {
  const one = f32x4.splat(1);
  const b1 = f32x4.splat(beta1),
    b2 = f32x4.splat(beta2);
  const c1 = f32x4.sub(one, b1),
    c2 = f32x4.sub(one, b2);
  for (let i: usize = 0; i < (<usize>count) << 2; i += 16) {
    const g = f32x4.mul(v128.load(gradients + i), f32x4.splat(scale));
    const m = f32x4.add(f32x4.mul(b1, v128.load(means + i)), f32x4.mul(c1, g));
    const v = f32x4.add(f32x4.mul(b2, v128.load(squares + i)), f32x4.mul(c2, f32x4.mul(g, g)));
    v128.store(means + i, m);
    v128.store(squares + i, v);
    const spread = f32x4.add(f32x4.sqrt(f32x4.mul(v, f32x4.splat(root))), f32x4.splat(epsilon));
    const change = f32x4.div(f32x4.mul(m, f32x4.splat(rate)), spread);
    v128.store(parameters + i, f32x4.sub(f32x4.mul(v128.load(parameters + i), f32x4.splat(keep)), change));
  }
}
