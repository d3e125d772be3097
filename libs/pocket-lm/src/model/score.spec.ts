import { someIds, TINY, tinyMachine, tinyParameters } from '../testing/tiny-model';
import { plainLogProbs } from '../testing/plain-model';
import { AdamW } from '../training/adamw';
import { accumulateGradients, scoreSequences, type ScoredSequence } from './score';

const OPTIONS = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, decay: 0, maxNorm: 1 };

const plainScores = (parameters: ArrayLike<number>, { ids, from }: ScoredSequence, temperature = 1): number[] => {
  const rows = plainLogProbs(TINY, parameters, ids, temperature);
  return ids.slice(from).map((id, i) => rows[from + i - 1]![id]!);
};

const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)));

describe('scoreSequences', () => {
  it.each([1, 2, 3])(
    'says what the plain model says, at any temperature, for sequences side by side (seed %i)',
    (seed) => {
      const machine = tinyMachine(seed);
      const sequences = [
        { ids: someIds(seed, 13), from: 4 },
        { ids: someIds(seed + 10, 2), from: 1 },
        { ids: someIds(seed + 20, 31), from: 30 },
      ];
      for (const temperature of [1, 0.8]) {
        const { logProbs, entropies } = scoreSequences(machine, sequences, { temperature });
        sequences.forEach((sequence, at) => {
          expect(largestGap(logProbs[at]!, plainScores(tinyParameters(seed), sequence, temperature))).toBeLessThan(
            1e-4,
          );
          const rows = plainLogProbs(TINY, tinyParameters(seed), sequence.ids, temperature);
          const plain = rows
            .slice(sequence.from - 1, -1)
            .map((row) => -row.reduce((sum, logProb) => sum + Math.exp(logProb) * logProb, 0));
          expect(largestGap(entropies[at]!, plain)).toBeLessThan(1e-4);
        });
      }
    },
  );

  it('gives a sequence the same numbers, bit by bit, alone and in any company', () => {
    const machine = tinyMachine(4);
    const sequence = { ids: someIds(4, 17), from: 1 };
    const alone = scoreSequences(machine, [sequence]).logProbs[0];
    for (const others of [1, 2, 5]) {
      const company = Array.from({ length: others }, (_, i) => ({ ids: someIds(i, 5 + i), from: 1 }));
      expect(scoreSequences(machine, [...company, sequence]).logProbs.at(-1)).toEqual(alone);
    }
  });

  it.each([
    ['a first token', { ids: [1, 2], from: 0 }, 'from 0'],
    ['nothing', { ids: [1, 2], from: 2 }, 'from 2'],
    ['a token that it does not have', { ids: [1, 24], from: 1 }, 'token id 24'],
    ['more than its context', { ids: someIds(1, 49), from: 1 }, '49 tokens'],
  ])('refuses to score %s', (_, sequence, problem) => {
    expect(() => scoreSequences(tinyMachine(1), [sequence])).toThrow(problem);
  });
});

describe('accumulateGradients', () => {
  const sequences = [
    { ids: someIds(5, 9), from: 3 },
    { ids: someIds(6, 6), from: 1 },
  ];
  /** A loss that is no plain sum, so that the slopes matter. */
  const weights = [
    [0.5, -1, 2, 0.25, -0.5, 1],
    [1, 1, -2, 0.5, 0],
  ];
  const plainLoss = (parameters: ArrayLike<number>, temperature: number): number =>
    sequences.reduce(
      (sum, sequence, at) =>
        sum +
        plainScores(parameters, sequence, temperature).reduce(
          (part, logProb, i) => part + weights[at]![i]! * logProb,
          0,
        ),
      0,
    );

  it.each([1, 0.8])(
    'agrees with finite differences of the plain model for each parameter (temperature %d)',
    (temperature) => {
      const machine = tinyMachine(7);
      const optimizer = new AdamW(machine, OPTIONS);
      accumulateGradients(machine, sequences, { temperature, slopesOf: () => weights }, optimizer);
      const gradients = optimizer.readGradients();
      const parameters = Float64Array.from(tinyParameters(7));
      const scale = Math.max(...gradients.map(Math.abs));
      const step = 1e-4;
      for (const { name, offset, count } of machine.parameters.layout.specs) {
        // Every 31st number of each tensor: the plain model takes its time.
        for (let i = offset; i < offset + count; i += 31) {
          const value = parameters[i]!;
          parameters[i] = value + step;
          const above = plainLoss(parameters, temperature);
          parameters[i] = value - step;
          const below = plainLoss(parameters, temperature);
          parameters[i] = value;
          const gap = Math.abs(gradients[i]! - (above - below) / (2 * step));
          if (gap > 1e-4 * scale) throw new Error(`${name}[${i - offset}] is off by ${gap}, of at most ${scale}`);
        }
      }
      expect(scale).toBeGreaterThan(0.1);
    },
  );

  it('adds up over calls, and shows the loss the scores that it is asked about', () => {
    const machine = tinyMachine(8);
    const [together, apart] = [new AdamW(machine, OPTIONS), new AdamW(machine, OPTIONS)];
    const slopesOf = (seen: { logProbs: readonly Float32Array[] }): number[][] =>
      seen.logProbs.map((list) => Array.from(list, (logProb) => logProb * 0.1));
    accumulateGradients(machine, sequences, { slopesOf }, together);
    for (const sequence of sequences) accumulateGradients(machine, [sequence], { slopesOf }, apart);
    expect(largestGap(together.readGradients(), apart.readGradients())).toBeLessThan(1e-4);
  });

  it('takes slopes of the logits as well, beside those of the log-probs', () => {
    const machine = tinyMachine(9);
    const [byLogProbs, byLogits] = [new AdamW(machine, OPTIONS), new AdamW(machine, OPTIONS)];
    accumulateGradients(machine, sequences, { slopesOf: () => weights }, byLogProbs);
    // d log p(token) / d logits = one at the token, less the distribution.
    const ofSecond = (logits: Float32Array): number[] =>
      Array.from({ length: 5 }, (_, row) => {
        const own = Array.from(logits.subarray(row * TINY.vocabularySize, (row + 1) * TINY.vocabularySize));
        const sum = own.reduce((total, logit) => total + Math.exp(logit), 0);
        const id = sequences[1]!.ids[row + 1]!;
        return own.map((logit, i) => weights[1]![row]! * ((i === id ? 1 : 0) - Math.exp(logit) / sum));
      }).flat();
    const options = {
      slopesOf: () => [weights[0]!, [0, 0, 0, 0, 0]],
      logitSlopesOf: (logits: readonly Float32Array[]) => [null, ofSecond(logits[1]!)],
    };
    accumulateGradients(machine, sequences, options, byLogits);
    expect(largestGap(byLogits.readGradients(), byLogProbs.readGradients())).toBeLessThan(1e-5);
  });
});
