import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Settings } from '@app/config';
import { requirePools, sharesPolicyGpus } from '@app/pools';
import { describeError, Telemetry } from '@app/telemetry';
import { DoorClient } from '../door/door-client';
import { TRAINER_BACKEND, type TrainerBackend, type TrainingMetrics } from './trainer-backend';
import { TrainLoop } from './train-loop';

const MS = 1000;
const WAIT_MS = 20_000;
const AGAIN_MS = 2000;

const TOLD = new Set(['samples', 'mean_score', 'loss', 'kl', 'gradient_norm', 'log_prob_difference']);
const DIGITS = 3;

/** Runs the loop for as long as the app does. */
@Injectable()
export class TrainingService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('trainer');
  private readonly closing = new AbortController();
  private readonly loop: TrainLoop;
  private running: Promise<void> | null = null;
  private failed = false;

  constructor(
    settings: Settings,
    private readonly telemetry: Telemetry,
    door: DoorClient,
    @Inject(TRAINER_BACKEND) backend: TrainerBackend,
  ) {
    this.loop = new TrainLoop(door, backend, {
      batchSize: settings.rl.rolloutSteps,
      batchesPerUpdate: settings.rl.updateInterval,
      leaseMs: settings.door.leaseS * MS,
      gateLeaseMs: settings.gate.leaseS * MS,
      waitMs: WAIT_MS,
      againMs: AGAIN_MS,
      sharesGpus: sharesPolicyGpus(requirePools(settings)),
      tracer: telemetry.tracer,
      onRound: (...round) => {
        this.note(...round);
      },
      onIdle: () => {
        this.failed = false;
      },
    });
  }

  /** Whether the last round failed, and nothing went well since. */
  get isFailing(): boolean {
    return this.failed;
  }

  onApplicationBootstrap(): void {
    this.running = this.loop.run(this.closing.signal).catch((error: unknown) => {
      this.note('failed', error);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private note(...[outcome, found]: ['trained', TrainingMetrics] | ['failed', unknown]): void {
    this.failed = outcome === 'failed';
    const { trainingRounds, trainingNumbers } = this.telemetry.metrics;
    trainingRounds.inc({ outcome });
    if (outcome === 'failed') {
      this.logger.warn(`a round of training failed: ${describeError(found)}`);
      return;
    }
    for (const [name, value] of Object.entries(found)) trainingNumbers.set({ kind: name }, value);
    this.logger.log(`a round of training is done: ${summaryOf(found)}`);
  }
}

/** What people want to see of a round, in a line. */
const summaryOf = (metrics: TrainingMetrics): string =>
  Object.entries(metrics)
    .filter(([name]) => TOLD.has(name))
    .map(([name, value]) => `${name} ${Number(value.toPrecision(DIGITS))}`)
    .join(', ');
