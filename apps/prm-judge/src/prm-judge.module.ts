import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule } from '@app/telemetry';
import { Voter, votingReadiness, VotingModule } from '@app/voting';
import { JudgingModule } from './judging/judging.module';

/** The judge: votes on turns by what followed them. */
@Module({})
export class PrmJudgeModule {
  static forSettings(settings: Settings): DynamicModule {
    return {
      module: PrmJudgeModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule,
        BusModule.forApp('prm-judge'),
        JudgingModule,
        HealthModule.forApp({
          app: 'prm-judge',
          imports: [VotingModule],
          inject: [Bus, Voter],
          check: votingReadiness,
        }),
      ],
    };
  }
}
