// The mathematics of training, in one thread: prints one JSON line with the best time of several runs, in milliseconds.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './processes.mjs';

const require = createRequire(import.meta.url);
const { combinedAdvantages, policyLoss, tokenWeights, topKDistillation } = require(
  join(root, 'dist/libs/advantage/src/index.js'),
);

const SAMPLES = 16;
const TOKENS = 8192;
const K = 50;
/** As large as the built-in model's. */
const VOCABULARY = 956;
const RUNS = 7;

// A fixed sequence of numbers between 0 and 1.
let state = 1;
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const row = (length, make) => Float64Array.from({ length }, make);
const logProbs = () => row(TOKENS, () => -3 * random());

const best = (work) => {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
};

const samples = Array.from({ length: SAMPLES }, (_, i) => ({
  reward: i % 2 === 0 ? 1 : -1,
  oldLogProbs: logProbs(),
  newLogProbs: logProbs(),
  teacherLogProbs: logProbs(),
  mask: new Uint8Array(TOKENS).fill(1),
}));

const losses = () => {
  for (const { reward, oldLogProbs, newLogProbs, teacherLogProbs, mask } of samples) {
    const advantages = combinedAdvantages({ reward, teacherLogProbs, oldLogProbs, binaryWeight: 1, opdWeight: 1 });
    const weights = tokenWeights(mask, 'sample_mean');
    policyLoss({ newLogProbs, oldLogProbs, advantages, weights }, { low: 0.2, high: 0.28, dual: 3 });
  }
};

const distilled = {
  logits: row(TOKENS * VOCABULARY, () => 8 * random()),
  vocabulary: VOCABULARY,
  teacherLogProbs: row(TOKENS * K, () => -4 - 3 * random()),
  teacherIds: Int32Array.from({ length: TOKENS * K }, (_, i) => ((i % K) * 19 + i) % VOCABULARY),
  weights: tokenWeights(new Uint8Array(TOKENS).fill(1), 'sample_mean'),
};

console.log(JSON.stringify({ lossMs: best(losses), topKMs: best(() => topKDistillation(distilled)) }));
