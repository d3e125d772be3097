import { Machine } from '../model/machine';
import type { ModelConfig } from '../model/model-config';
import { initialParameters } from '../model/parameters';
import { normalFrom, seededRandom } from '../runtime/random';

export const TINY: ModelConfig = {
  vocabularySize: 24,
  width: 16,
  layers: 2,
  heads: 2,
  hidden: 24,
  context: 48,
  ropeBase: 10_000,
  epsilon: 1e-6,
};

/** Parameters far from their start, so that every part of the model matters. */
export const tinyParameters = (seed: number): Float32Array => {
  const normal = normalFrom(seededRandom(seed));
  return initialParameters(TINY, normal).map((value) => (value === 1 ? 1 + 0.3 * normal() : value * 20));
};

export const tinyMachine = (seed: number): Machine => new Machine(TINY, tinyParameters(seed));

export const someIds = (seed: number, length: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length }, () => Math.floor(random() * TINY.vocabularySize));
};
