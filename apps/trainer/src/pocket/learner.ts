import type { Reduction, RewardNormalization } from '@app/advantage';
import {
  accumulateGradients,
  AdamW,
  Decoder,
  END_ID,
  generateAll,
  Machine,
  scoreSequences,
  type AdamWOptions,
  type AdamWState,
  type ModelConfig,
  type ScoredSequence,
  type Scores,
} from '@app/pocket-lm';
import { batchRewards, type Sample } from '@app/sample';
import { describeBatch, type BatchNumbers, type SeenSample } from './batch-numbers';
import type { Answerer } from './held-out';
import { batchWeights, distributionLoss, sampleLoss, type BatchSample, type ObjectiveOptions } from './objective';
import { temperatureOf } from './trainable';

export interface LearnerOptions {
  readonly objective: ObjectiveOptions;
  readonly reduction: Reduction;
  /** Of integrated rewards, over the samples of the same step. */
  readonly rewards: RewardNormalization;
  readonly optimizer: AdamWOptions;
  readonly learningRate: number;
}

/** What a model needs to go on learning. */
export interface LearnerState {
  readonly parameters: Float32Array;
  /** null: begun anew. */
  readonly optimizer: AdamWState | null;
}

/** What a step found. */
export interface StepNumbers extends BatchNumbers {
  readonly loss: number;
  readonly policy_loss: number;
  /** To the weights that training began with, by its estimator, in nats. */
  readonly kl: number;
  readonly distillation_loss: number;
  /** Before it was brought down. */
  readonly gradient_norm: number;
}

const sequenceOf = ({ tokens, response_length: length }: Sample): ScoredSequence => ({
  ids: Array.from(tokens),
  from: tokens.length - length,
});

const LIKELIEST = { temperature: 0, topP: 1, topK: -1 };
/** The likeliest token is taken, not drawn. */
const NEVER_DRAWN = (): number => 0;

/** A pocket model that learns from samples. */
export class Learner {
  private readonly machine: Machine;
  private readonly base: Machine;
  private readonly optimizer: AdamW;
  /** Made when somebody asks. */
  private decoder: Decoder | null = null;

  /** @param base the weights that training began with: the KL term holds on to them */
  constructor(
    config: ModelConfig,
    base: Float32Array,
    private readonly options: LearnerOptions,
  ) {
    this.base = new Machine(config, base);
    this.machine = new Machine(config, base);
    this.optimizer = new AdamW(this.machine, options.optimizer);
  }

  save(): { readonly parameters: Float32Array; readonly optimizer: AdamWState } {
    return { parameters: this.machine.parameters.read(), optimizer: this.optimizer.save() };
  }

  restore({ parameters, optimizer }: LearnerState): void {
    this.machine.parameters.write(parameters);
    const zeros = new Float32Array(parameters.length);
    this.optimizer.restore(optimizer ?? { steps: 0, means: zeros, squares: zeros });
  }

  /** The likeliest answers of the weights in hand, each with its end token where it came to it. */
  readonly answer: Answerer = (prompts, maxTokens) => {
    this.decoder ??= new Decoder(this.machine, 1);
    const generations = prompts.map((prompt) => ({ prompt, maxTokens, ...LIKELIEST, random: NEVER_DRAWN }));
    return generateAll(this.decoder, generations, END_ID).map(({ ids }) => ids);
  };

  /** One step on a batch of samples that can be trained on. */
  step(samples: readonly Sample[]): StepNumbers {
    const weights = batchWeights(samples, this.options.reduction);
    const rewards = batchRewards(samples, this.options.rewards);
    const batch = samples.map((sample, i): BatchSample => ({
      sample,
      reward: rewards[i] as number,
      weights: weights[i] as Float64Array,
    }));
    const seen: SeenSample[] = [];
    let distillation = 0;
    let bonus = 0;
    // Log-probs are taken as the samples' own were: those of one temperature together.
    for (const [temperature, group] of byTemperature(batch)) {
      const terms = this.accumulate(group, temperature, seen);
      distillation += terms.distillation;
      bonus += terms.entropy;
    }
    const norm = this.optimizer.step(this.options.learningRate);
    const policy = seen.reduce((sum, { loss }) => sum + loss.policy, 0);
    const kl = seen.reduce((sum, { loss }) => sum + loss.kl, 0);
    const { klCoefficient, distillationCoefficient, entropyCoefficient } = this.options.objective;
    return {
      ...describeBatch(seen),
      loss: policy + klCoefficient * kl + distillationCoefficient * distillation - entropyCoefficient * bonus,
      policy_loss: policy,
      kl,
      distillation_loss: distillation,
      gradient_norm: norm,
    };
  }

  private accumulate(
    group: readonly BatchSample[],
    temperature: number,
    seen: SeenSample[],
  ): { distillation: number; entropy: number } {
    const { objective } = this.options;
    const sequences = group.map(({ sample }) => sequenceOf(sample));
    const base = scoreSequences(this.base, sequences, { temperature });
    const slopesOf = ({ logProbs, entropies }: Scores): Float64Array[] =>
      group.map((each, i) => {
        const newLogProbs = logProbs[i] as Float32Array;
        const baseLogProbs = base.logProbs[i] as Float32Array;
        const loss = sampleLoss(each, { newLogProbs, baseLogProbs }, objective);
        seen.push({ sample: each.sample, loss, newLogProbs, entropies: entropies[i] as Float32Array });
        return loss.slopes;
      });
    const terms = { distillation: 0, entropy: 0 };
    const vocabulary = this.machine.config.vocabularySize;
    const logitSlopesOf = (logits: readonly Float32Array[]): (Float64Array | null)[] =>
      group.map((each, i) => {
        const term = distributionLoss(each, { logits: logits[i] as Float32Array, vocabulary }, objective);
        terms.distillation += term?.distillation ?? 0;
        terms.entropy += term?.entropy ?? 0;
        return term?.slopes ?? null;
      });
    const looksAtLogits =
      objective.entropyCoefficient > 0 ||
      (objective.distillationCoefficient > 0 && group.some(({ sample }) => sample.teacher_topk_mask !== null));
    const options = { temperature, slopesOf, ...(looksAtLogits ? { logitSlopesOf } : {}) };
    accumulateGradients(this.machine, sequences, options, this.optimizer);
    return terms;
  }
}

const byTemperature = (batch: readonly BatchSample[]): ReadonlyMap<number, readonly BatchSample[]> => {
  const groups = new Map<number, BatchSample[]>();
  for (const each of batch) {
    const temperature = temperatureOf(each.sample) ?? 1;
    groups.set(temperature, [...(groups.get(temperature) ?? []), each]);
  }
  return groups;
};
