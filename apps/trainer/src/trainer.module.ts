import { Module, type DynamicModule } from '@nestjs/common';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule, type ReadinessCheck } from '@app/telemetry';
import { TrainingModule } from './training/training.module';
import { TrainingService } from './training/training.service';

const readinessCheck =
  (training: TrainingService): ReadinessCheck =>
  () => ({
    ready: !training.isFailing,
    status: training.isFailing ? 'unavailable' : 'ok',
    detail: { last_round: training.isFailing ? 'failed' : 'ok' },
  });

/** Leases batches at the door and trains on them with one backend. */
@Module({})
export class TrainerModule {
  static forSettings(settings: Settings): DynamicModule {
    const training = TrainingModule.forSettings(settings);
    return {
      module: TrainerModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule.forApp('trainer'),
        training,
        HealthModule.forApp({ app: 'trainer', imports: [training], inject: [TrainingService], check: readinessCheck }),
      ],
    };
  }
}
