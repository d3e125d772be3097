import { ArrayMaxSize } from 'class-validator';
import { fraction, oneOf, optional, text, textList, whole, type Kind } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const KL_ESTIMATORS = ['k1', 'k2', 'k3', 'low_var_kl'] as const;
export type KlEstimator = (typeof KL_ESTIMATORS)[number];

export const REDUCTIONS = ['sample_mean', 'token_sum'] as const;
export type ReductionName = (typeof REDUCTIONS)[number];

const MOST_PROMPTS = 8;
const LONGEST_PROMPT = 1000;

const prompts = textList(
  `a list of at most ${MOST_PROMPTS} texts of 1 to ${LONGEST_PROMPT} characters, each once; one a line in a variable`,
  new RegExp(String.raw`^(?=[\s\S]*\S)[\s\S]{1,${LONGEST_PROMPT}}$`),
  '\n',
);
const fewPrompts: Kind = { ...prompts, checks: [...prompts.checks, ArrayMaxSize(MOST_PROMPTS)] };

/** [training]: how the built-in trainer changes the pocket model, `trainer.backend = "pocket"`. */
export class TrainingSettings extends SettingsSection {
  @Setting('Folder of the weights that are made, one folder an update', text('path of a folder'))
  readonly weightsDir: string = '.openclaw-rl/weights';

  @Setting('Each so many updates the weights are kept for good', whole({ min: 1, max: 1_000_000 }))
  readonly checkpointEvery: number = 10;

  @Setting('Steps on a batch', whole({ min: 1, max: 100 }))
  readonly stepsPerBatch: number = 1;

  @Setting('Learning rate', fraction({ min: 0, max: 1 }))
  readonly learningRate: number = 1.5e-3;

  @Setting("AdamW's decay of the mean gradient", fraction({ min: 0, max: 0.9999 }))
  readonly beta1: number = 0.9;

  @Setting("AdamW's decay of the mean square", fraction({ min: 0, max: 0.999999 }))
  readonly beta2: number = 0.95;

  @Setting(
    "AdamW's epsilon; a large one keeps the size of the advantages in the step",
    fraction({ min: 1e-12, max: 1 }),
  )
  readonly epsilon: number = 1e-2;

  @Setting('Decoupled weight decay', fraction({ min: 0, max: 1 }))
  readonly weightDecay: number = 0;

  @Setting("Largest norm of a step's gradient", fraction({ min: 1e-6, max: 1e6 }))
  readonly maxGradientNorm: number = 1;

  @Setting('The probability ratio is cut at 1 less this', fraction({ min: 0, max: 1 }))
  readonly clipLow: number = 0.2;

  @Setting('The probability ratio is cut at 1 and this', fraction({ min: 0, max: 100 }))
  readonly clipHigh: number = 0.28;

  @Setting(
    'Dual clip: bound of the loss where the advantage is negative',
    optional(fraction({ min: 1.000001, max: 1000 })),
    {
      shownDefault: 'none',
    },
  )
  readonly dualClip: number | null = null;

  @Setting('Weight of the KL term, to the weights that the training began with', fraction({ min: 0, max: 100 }))
  readonly klCoefficient: number = 0.02;

  @Setting('Estimator of the KL term', oneOf(KL_ESTIMATORS))
  readonly klEstimator: KlEstimator = 'low_var_kl';

  @Setting('Weight of an entropy bonus', fraction({ min: 0, max: 100 }))
  readonly entropyCoefficient: number = 0;

  @Setting(
    "Weight of the distillation of the teacher's likeliest tokens, where samples carry them (opd.distill_topk)",
    fraction({ min: 0, max: 100 }),
  )
  readonly distillationCoefficient: number = 1;

  @Setting(
    'How token losses become one: the mean of each sample, or the mean of all tokens of the batch',
    oneOf(REDUCTIONS),
  )
  readonly reduction: ReductionName = 'sample_mean';

  @Setting(
    'Prompts that are never trained on: the policy answers them before and after each update, and the console shows both for 30 days',
    fewPrompts,
  )
  readonly heldOutPrompts: readonly string[] = [];
}
