import type { HeldOutAnswer } from '@app/contracts';
import type { Sample } from '@app/sample';
import type { CommittedWeights } from '../door/door-client';

/** What was found out while training: numbers by their names, told with the new version. */
export type TrainingMetrics = Readonly<Record<string, number>>;

/** One way to train. A backend that throws gets the same samples again, later. */
export interface TrainerBackend {
  /**
   * Called before the first batch, and again after a round that failed: goes on from what serves, whatever was trained
   * since and did not go live.
   */
  prepare(): Promise<void>;
  /** Trains on a batch. The same samples may come twice, after a crash between this and their acknowledgement. */
  train(samples: readonly Sample[]): Promise<TrainingMetrics>;
  /** Puts the new weights where the engines find them, and names them. null: batches go elsewhere, the policy stays as it is. */
  readonly publish: (() => Promise<CommittedWeights>) | null;
  /** The policy version that its weights go on from: new ones may follow no other. */
  readonly baseVersion: number | null;
  /**
   * What `publish` named last serves as this version. Returns answers to held-out prompts, by the weights before and by these;
   * null where nobody asks for any.
   */
  published(version: number): readonly HeldOutAnswer[] | null;
}

/** Token under which Nest gives the backend. */
export const TRAINER_BACKEND = Symbol('TrainerBackend');
