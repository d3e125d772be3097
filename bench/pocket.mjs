// npm run bench:pocket: the pocket model in one thread, in CPU seconds, since other work on the machine does not change these.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './processes.mjs';

const require = createRequire(import.meta.url);
const lib = require(join(root, 'dist/libs/pocket-lm/src/index.js'));

const STREAMS = 16;
const RUNS = 5;

const random = lib.seededRandom(1);
const machine = new lib.Machine(
  lib.POCKET_CONFIG,
  lib.initialParameters(lib.POCKET_CONFIG, lib.normalFrom(lib.seededRandom(2))),
);
const optimizer = new lib.AdamW(machine, { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, decay: 0, maxNorm: 1 });
const decoder = new lib.Decoder(machine, STREAMS);
const ids = (count) => Array.from({ length: count }, () => Math.floor(random() * lib.POCKET_CONFIG.vocabularySize));

const bestSeconds = (work) => {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return Math.min(...times);
};

const trainOn = (samples, tokens) => {
  const sequences = Array.from({ length: samples }, () => ({ ids: ids(tokens), from: 1 }));
  const slopesOf = ({ logProbs }) => logProbs.map((list) => list.map(() => -1 / samples / tokens));
  return bestSeconds(() => {
    lib.accumulateGradients(machine, sequences, { slopesOf }, optimizer);
    optimizer.step(1e-4);
  });
};

const generate = (prompt, tokens) => {
  const generations = Array.from({ length: STREAMS }, (_, seed) => ({
    ...{ prompt: ids(prompt), maxTokens: tokens, random: lib.seededRandom(seed) },
    ...{ temperature: 0.8, topP: 1, topK: -1 },
  }));
  return (STREAMS * tokens) / bestSeconds(() => lib.generateAll(decoder, generations, -1));
};

console.log(`a training step of 16 x 96 tokens:   ${trainOn(16, 96).toFixed(3)} CPU s`);
console.log(`a training step of 16 x 200 tokens:  ${trainOn(16, 200).toFixed(3)} CPU s`);
console.log(`${STREAMS} streams of 40 + 50 tokens:        ${generate(40, 50).toFixed(0)} tokens a CPU s`);
console.log(`${STREAMS} streams of 400 + 100 tokens:      ${generate(400, 100).toFixed(0)} tokens a CPU s`);
