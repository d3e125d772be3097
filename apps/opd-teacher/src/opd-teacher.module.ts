import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule } from '@app/telemetry';
import { Voter, VotingModule } from '@app/voting';
import { HintingModule } from './hinting/hinting.module';
import { readinessCheck } from './readiness';
import { Teacher } from './teaching/teacher';
import { TeachingModule } from './teaching/teaching.module';

/** The hindsight teacher: hints from what followed a turn, and the turn's log-probs under a model that was given the hint. */
@Module({})
export class OpdTeacherModule {
  static forSettings(settings: Settings): DynamicModule {
    return {
      module: OpdTeacherModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule,
        BusModule.forApp('opd-teacher'),
        HintingModule,
        HealthModule.forApp({
          app: 'opd-teacher',
          imports: [VotingModule, TeachingModule],
          inject: [Bus, Voter, Teacher],
          check: readinessCheck,
        }),
      ],
    };
  }
}
