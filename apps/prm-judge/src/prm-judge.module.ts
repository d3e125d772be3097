import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule } from '@app/telemetry';
import { JudgeService } from './judging/judge.service';
import { JudgingModule } from './judging/judging.module';
import { readinessCheck } from './readiness';

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
        HealthModule.forCheck({ imports: [JudgingModule], inject: [Bus, JudgeService], check: readinessCheck }),
      ],
    };
  }
}
