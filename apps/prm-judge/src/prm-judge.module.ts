import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { Settings, SettingsModule } from '@app/config';
import { HealthModule, TelemetryModule } from '@app/telemetry';
import { restingReadiness, Voter, votingReadiness, VotingModule } from '@app/voting';
import { JudgingModule } from './judging/judging.module';

const app = 'prm-judge';

const WORK = [
  JudgingModule,
  HealthModule.forApp({ app, imports: [VotingModule], inject: [Bus, Voter], check: votingReadiness }),
];

const REST = [HealthModule.forApp({ app, inject: [Settings, Bus], check: restingReadiness })];

/** The judge: votes on turns by what followed them. It rests where rl.algorithm uses no scores. */
@Module({})
export class PrmJudgeModule {
  static forSettings(settings: Settings): DynamicModule {
    return {
      module: PrmJudgeModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule.forApp(app),
        BusModule.forApp(app),
        ...(settings.rl.asksJudge ? WORK : REST),
      ],
    };
  }
}
