import type { ModelConfig } from '../model/model-config';
import { layOutParameters } from '../model/parameters';

/**
 * The model once more, for tests: plain loops in float64, one token after the other, nothing shared with the kernels.
 * @returns log-probs of the next token at every position, [ids.length][vocabulary]
 */
export const plainLogProbs = (
  config: ModelConfig,
  parameters: ArrayLike<number>,
  ids: readonly number[],
  temperature = 1,
): number[][] => {
  const { width, heads, hidden, vocabularySize, epsilon, ropeBase } = config;
  const size = width / heads;
  const layout = layOutParameters(config);
  const p = (offset: number): number => parameters[offset]!;
  const norm = (x: number[], gain: number): number[] => {
    const rms = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / width + epsilon);
    return x.map((v, i) => (v / rms) * p(gain + i));
  };
  const linear = (x: number[], weight: number, outputs: number): number[] =>
    Array.from({ length: outputs }, (_, o) => x.reduce((sum, v, i) => sum + v * p(weight + i * outputs + o), 0));
  const gelu = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
  const rotate = (x: number[], position: number): number[] =>
    x.map((v, i) => {
      const within = i % size;
      const pair = within % (size / 2);
      const angle = position * ropeBase ** (-pair / (size / 2));
      const other = within < size / 2 ? -x[i + size / 2]! : x[i - size / 2]!;
      return v * Math.cos(angle) + other * Math.sin(angle);
    });
  const keys: number[][][] = layout.layers.map(() => []);
  const values: number[][][] = layout.layers.map(() => []);
  return ids.map((id, position) => {
    let x = Array.from({ length: width }, (_, i) => p(layout.embedding + id * width + i));
    layout.layers.forEach((layer, l) => {
      const qkv = linear(norm(x, layer.attentionNorm), layer.qkv, 3 * width);
      const q = rotate(qkv.slice(0, width), position);
      keys[l]!.push(rotate(qkv.slice(width, 2 * width), position));
      values[l]!.push(qkv.slice(2 * width));
      const attended = Array.from({ length: width }, () => 0);
      for (let head = 0; head < heads; head += 1) {
        const range = Array.from({ length: size }, (_, i) => head * size + i);
        const scores = keys[l]!.map((k) => range.reduce((sum, i) => sum + q[i]! * k[i]!, 0) / Math.sqrt(size));
        const weights = scores.map((score) => Math.exp(score - Math.max(...scores)));
        const total = weights.reduce((sum, w) => sum + w, 0);
        for (const i of range) {
          attended[i] = weights.reduce((sum, w, j) => sum + (w / total) * values[l]![j]![i]!, 0);
        }
      }
      const out = linear(attended, layer.attentionOut, width);
      x = x.map((v, i) => v + out[i]!);
      const inside = linear(norm(x, layer.mlpNorm), layer.mlpIn, hidden).map(gelu);
      const mlp = linear(inside, layer.mlpOut, width);
      x = x.map((v, i) => v + mlp[i]!);
    });
    const last = norm(x, layout.finalNorm);
    const logits = Array.from(
      { length: vocabularySize },
      (_, token) => last.reduce((sum, v, i) => sum + v * p(layout.embedding + token * width + i), 0) / temperature,
    );
    const top = Math.max(...logits);
    const total = Math.log(logits.reduce((sum, z) => sum + Math.exp(z - top), 0)) + top;
    return logits.map((z) => z - total);
  });
};
