import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { SettingsModule, type Settings } from '@app/config';
import { requirePools } from '@app/pools';
import { HealthModule, TelemetryModule } from '@app/telemetry';
import { ChatModule } from './chat/chat.module';
import { ConsoleModule } from './console/console.module';
import { FeedbackController } from './feedback/feedback.controller';
import { FeedbackService } from './feedback/feedback.service';
import { readinessCheck } from './http/readiness';
import { ModelsController } from './models/models.controller';
import { KnownSessions } from './sessions/known-sessions';
import { SessionsController } from './sessions/sessions.controller';
import { SessionsService } from './sessions/sessions.service';
import { UpstreamModule } from './upstream/upstream.module';
import { UpstreamService } from './upstream/upstream.service';
import { CaptureModule } from './capture/capture.module';
import { Gate } from './gate/gate';
import { GateModule } from './gate/gate.module';

/** The door: OpenAI's API, keys, streaming, capture, update gate. */
@Module({})
export class GatewayModule {
  /** @throws PoolPlanError */
  static forSettings(settings: Settings): DynamicModule {
    requirePools(settings);
    return {
      module: GatewayModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule.forApp('gateway'),
        BusModule.forApp('gateway'),
        HealthModule.forApp({
          app: 'gateway',
          imports: [UpstreamModule, GateModule],
          inject: [Bus, UpstreamService, Gate],
          check: readinessCheck,
        }),
        CaptureModule,
        ChatModule,
        ConsoleModule.forSettings(settings.console),
      ],
      controllers: [ModelsController, FeedbackController, SessionsController],
      providers: [KnownSessions, FeedbackService, SessionsService],
    };
  }
}
