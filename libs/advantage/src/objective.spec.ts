import { approximateKl, type KlKind } from './approximate-kl';
import { tokenEntropy } from './entropy';
import cases from './fixtures/objective.json';
import { expectClose, logSoftmax, SINGLE, SINGLE_GRADIENT } from './fixtures/golden';
import { policyLoss } from './policy-loss';
import { combinedAdvantages } from './token-advantages';
import { tokenWeights, type Reduction } from './token-weights';

type Case = (typeof cases)[number];

/** Parts of one sample: its tokens' rows of logits and everything that belongs to them. */
const sampleOf = (each: Case, i: number) => {
  const lengths = each.responseLengths.map((length, j) => each.promptLengths[j]! + length);
  const start = lengths.slice(0, i).reduce((sum, length) => sum + length, 0) + each.promptLengths[i]! - 1;
  const rows = each.logits
    .slice(start, start + each.responseLengths[i]!)
    .map((row) => row.map((logit) => logit / each.temperature));
  const response = each.tokens[i]!.slice(each.promptLengths[i]);
  return { start, rows, response, weights: tokenWeights(each.masks[i]!, each.reduction as Reduction) };
};

/** Loss and gradient of one sample, put together of the library's parts as a trainer does. */
const trainOn = (each: Case, i: number) => {
  const { start, rows, response, weights } = sampleOf(each, i);
  const logProbs = rows.map(logSoftmax);
  const newLogProbs = response.map((id, t) => logProbs[t]![id]!);
  const oldLogProbs = each.oldLogProbs[i]!;
  const advantages = combinedAdvantages({
    reward: each.rewards[i]!,
    teacherLogProbs: each.teacherLogProbs?.[i] ?? null,
    oldLogProbs,
    binaryWeight: each.binaryWeight,
    opdWeight: each.opdWeight,
  });
  const policy = policyLoss({ newLogProbs, oldLogProbs, advantages, weights }, each.clip);
  const vocabulary = rows[0]!.length;
  const entropy = tokenEntropy({ logits: rows.flat(), vocabulary, weights });
  const baseLogProbs = each.baseLogProbs?.[i] ?? newLogProbs;
  const kl = approximateKl({ newLogProbs, baseLogProbs, weights }, each.klKind as KlKind);
  const slopes = policy.gradient.map((slope, t) => slope + each.klCoefficient * kl.gradient[t]!);
  const gradient = rows.map((row, t) =>
    row.map((_, v) => {
      const ofLogProb = (v === response[t] ? 1 : 0) - Math.exp(logProbs[t]![v]!);
      const ofEntropy = entropy.gradient[t * vocabulary + v]!;
      return (slopes[t]! * ofLogProb - each.entropyCoefficient * ofEntropy) / each.temperature;
    }),
  );
  const loss = policy.loss + each.klCoefficient * kl.loss - each.entropyCoefficient * entropy.entropy;
  return { start, newLogProbs, advantages, policy, loss, gradient };
};

describe('the training objective', () => {
  it.each(cases)('$name', (each) => {
    const gradient = each.logits.map((row) => row.map(() => 0));
    let loss = 0;
    each.rewards.forEach((_, i) => {
      const sample = trainOn(each, i);
      loss += sample.loss;
      sample.gradient.forEach((row, t) => (gradient[sample.start + t] = row));
      expectClose(sample.newLogProbs, each.newLogProbs[i]!, SINGLE);
      expectClose(sample.advantages, each.advantages[i]!, SINGLE);
      const trained = (values: readonly number[]): number[] =>
        values.map((value, t) => (each.masks[i]![t] === 0 ? 0 : value));
      expectClose(sample.policy.perToken, trained(each.lossPerToken[i]!), SINGLE);
      expectClose(sample.policy.clipped, trained(each.clipped[i]!), SINGLE);
    });
    expectClose([loss], [each.loss], SINGLE);
    expectClose(gradient.flat(), each.gradient.flat(), SINGLE_GRADIENT);
  });
});
