import type { Settings } from '@app/config';
import type { DoorClient } from '../door/door-client';
import { PocketBackend } from './pocket-backend';
import { WeightFolders } from './weight-folders';

/** The pocket backend as it is configured. */
export const openPocketBackend = ({ training, pocket }: Settings, door: DoorClient): PocketBackend =>
  new PocketBackend(
    new WeightFolders({
      dir: training.weightsDir,
      baseDir: pocket.modelDir,
      checkpointEvery: training.checkpointEvery,
    }),
    {
      learner: {
        objective: {
          clip: { low: training.clipLow, high: training.clipHigh, dual: training.dualClip },
          kl: training.klEstimator,
          klCoefficient: training.klCoefficient,
          entropyCoefficient: training.entropyCoefficient,
          distillationCoefficient: training.distillationCoefficient,
        },
        reduction: training.reduction,
        optimizer: {
          beta1: training.beta1,
          beta2: training.beta2,
          epsilon: training.epsilon,
          decay: training.weightDecay,
          maxNorm: training.maxGradientNorm,
        },
        learningRate: training.learningRate,
      },
      stepsPerBatch: training.stepsPerBatch,
      served: () => door.policy(),
      now: () => performance.now(),
    },
  );
