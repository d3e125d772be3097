import type { Settings } from '@app/config';
import type { DoorClient } from '../door/door-client';
import type { LearnerOptions } from './learner';
import { PocketBackend } from './pocket-backend';
import { WeightFolders } from './weight-folders';

/** How the pocket model is trained, as [training] and [reward] say it. */
export const learnerOptions = ({ training, reward }: Pick<Settings, 'training' | 'reward'>): LearnerOptions => ({
  objective: {
    clip: { low: training.clipLow, high: training.clipHigh, dual: training.dualClip },
    kl: training.klEstimator,
    klCoefficient: training.klCoefficient,
    entropyCoefficient: training.entropyCoefficient,
    distillationCoefficient: training.distillationCoefficient,
  },
  reduction: training.reduction,
  rewards: reward.normalization,
  optimizer: {
    beta1: training.beta1,
    beta2: training.beta2,
    epsilon: training.epsilon,
    decay: training.weightDecay,
    maxNorm: training.maxGradientNorm,
  },
  learningRate: training.learningRate,
});

/** The pocket backend as it is configured. */
export const openPocketBackend = ({ training, reward, pocket }: Settings, door: DoorClient): PocketBackend =>
  new PocketBackend(
    new WeightFolders({
      dir: training.weightsDir,
      baseDir: pocket.modelDir,
      checkpointEvery: training.checkpointEvery,
    }),
    {
      learner: learnerOptions({ training, reward }),
      stepsPerBatch: training.stepsPerBatch,
      heldOutPrompts: training.heldOutPrompts,
      served: () => door.policy(),
      now: () => performance.now(),
    },
  );
