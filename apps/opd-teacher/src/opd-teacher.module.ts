import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { Settings, SettingsModule } from '@app/config';
import { HealthModule, TelemetryModule } from '@app/telemetry';
import { restingReadiness, Voter, VotingModule } from '@app/voting';
import { HintingModule } from './hinting/hinting.module';
import { readinessCheck } from './readiness';
import { Teacher } from './teaching/teacher';
import { TeachingModule } from './teaching/teaching.module';

const app = 'opd-teacher';

const WORK = [
  HintingModule,
  HealthModule.forApp({
    app,
    imports: [VotingModule, TeachingModule],
    inject: [Bus, Voter, Teacher],
    check: readinessCheck,
  }),
];

const REST = [HealthModule.forApp({ app, inject: [Settings, Bus], check: restingReadiness })];

/** The hindsight teacher: hints from what followed a turn, and the turn's log-probs under a model that was given the hint. It rests where rl.algorithm uses none. */
@Module({})
export class OpdTeacherModule {
  static forSettings(settings: Settings): DynamicModule {
    return {
      module: OpdTeacherModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule.forApp(app),
        BusModule.forApp(app),
        ...(settings.rl.asksTeacher ? WORK : REST),
      ],
    };
  }
}
