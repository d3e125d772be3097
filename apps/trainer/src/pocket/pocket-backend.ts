import type { HeldOutAnswer } from '@app/contracts';
import type { Sample } from '@app/sample';
import type { CommittedWeights, ServedPolicy } from '../door/door-client';
import type { TrainerBackend, TrainingMetrics } from '../training/trainer-backend';
import { HeldOut } from './held-out';
import { Learner, type LearnerOptions } from './learner';
import { untrainable } from './trainable';
import type { BaseModel, WeightFolders } from './weight-folders';

const MS = 1000;

export interface PocketBackendOptions {
  readonly learner: LearnerOptions;
  readonly stepsPerBatch: number;
  /** Prompts that it answers before and after each update. */
  readonly heldOutPrompts: readonly string[];
  /** What serves now: training goes on from there. */
  readonly served: () => Promise<ServedPolicy>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Thrown when the backend is used before `prepare`. */
export class NotPreparedError extends Error {
  override readonly name = 'NotPreparedError';
}

/** Thrown where it is not known which weights training would go on from; from the first ones it would undo what serves. */
export class UnknownWeightsError extends Error {
  override readonly name = 'UnknownWeightsError';

  constructor(version: number) {
    super(
      `policy version ${version} has no weights_path: it was committed by the engine's own name of its weights. Make them the next version ` +
        'by an update whose commit names their folder: POST /v1/policy/updates, then .../TOKEN/commit with {"weights_path": FOLDER}',
    );
  }
}

interface Model {
  readonly base: BaseModel;
  readonly learner: Learner;
  /** null: nobody asks. */
  readonly heldOut: HeldOut | null;
}

/** Trains the pocket model, here, on a CPU. */
export class PocketBackend implements TrainerBackend {
  private model: Model | null = null;
  private version = 0;
  /** Updates of the weights in hand. */
  private update = 0;
  /** Turns of the batches since the last weights. */
  private turnIds: string[] = [];
  private metrics: TrainingMetrics = {};

  constructor(
    private readonly folders: WeightFolders,
    private readonly options: PocketBackendOptions,
  ) {}

  get baseVersion(): number {
    return this.version;
  }

  /** @throws WeightFolderError, WeightsError, HeldOutPromptError, UnknownWeightsError, DoorError */
  async prepare(): Promise<void> {
    const { base, learner, heldOut } = (this.model ??= await this.open());
    const { version, weightsPath } = await this.options.served();
    if (weightsPath === null && version > 0) throw new UnknownWeightsError(version);
    const start = { parameters: base.parameters, optimizer: null, update: 0 };
    const { update, ...state } = weightsPath === null ? start : await this.folders.readUpdate(weightsPath, base);
    learner.restore(state);
    this.version = version;
    this.update = update;
    this.turnIds = [];
    heldOut?.askBefore(learner.answer);
  }

  train(samples: readonly Sample[]): Promise<TrainingMetrics> {
    const { base, learner } = this.requireModel();
    const startedAt = this.options.now();
    const usable = samples.filter((sample) => untrainable(sample, base.config) === null);
    const staleness = usable.map(({ metadata }) => this.version - metadata.policy_version.start);
    let numbers: TrainingMetrics = {};
    if (usable.length > 0) {
      for (let step = 0; step < this.options.stepsPerBatch; step += 1) numbers = { ...learner.step(usable) };
    }
    this.turnIds.push(...usable.map(({ metadata }) => metadata.turn_id));
    this.metrics = {
      ...numbers,
      samples: usable.length,
      skipped: samples.length - usable.length,
      staleness: staleness.reduce((sum, each) => sum + each, 0) / Math.max(1, usable.length),
      train_seconds: (this.options.now() - startedAt) / MS,
    };
    return Promise.resolve(this.metrics);
  }

  readonly publish = async (): Promise<CommittedWeights> => {
    const { base, learner, heldOut } = this.requireModel();
    // What served until now is the update before; the ones before that go.
    await this.folders.prune(this.update);
    this.update += 1;
    const about = { update: this.update, turn_ids: this.turnIds, metrics: this.metrics };
    const weightsPath = await this.folders.write(learner.save(), base, about);
    this.turnIds = [];
    heldOut?.askAfter(learner.answer);
    return { weightsPath };
  };

  published(version: number): readonly HeldOutAnswer[] | null {
    this.version = version;
    return this.requireModel().heldOut?.takeOver() ?? null;
  }

  private async open(): Promise<Model> {
    const base = await this.folders.readBase();
    const { heldOutPrompts, learner } = this.options;
    return {
      base,
      learner: new Learner(base.config, base.parameters, learner),
      heldOut:
        heldOutPrompts.length === 0
          ? null
          : new HeldOut(heldOutPrompts, await this.folders.readTokenizer(), base.config.context),
    };
  }

  private requireModel(): Model {
    if (this.model === null) throw new NotPreparedError('the pocket backend has not been prepared');
    return this.model;
  }
}
