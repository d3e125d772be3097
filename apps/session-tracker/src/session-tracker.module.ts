import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@app/bus';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule, type ReadinessCheck } from '@app/telemetry';
import { Consumers } from './consumers';
import { FeedbackHandler } from './feedback/feedback.handler';
import { StoredTurns } from './feedback/stored-turns';
import { Outcomes } from './outcomes/outcomes';
import { Pairs } from './pairing/pairs';
import { EndQueue } from './sessions/end-queue';
import { OpenSessions } from './sessions/open-sessions';
import { Progress } from './sessions/progress';
import { Sessions } from './sessions/sessions';
import { Sweeper } from './sessions/sweeper';
import { Patience } from './storage/patience';
import { Stores } from './storage/stores';
import { Places } from './turns/places';
import { ToolClients } from './turns/tool-clients';
import { TurnHandler } from './turns/turn.handler';

const readinessCheck =
  (bus: Bus): ReadinessCheck =>
  () => ({ ready: bus.isUp, status: bus.isUp ? 'ok' : 'unavailable', detail: { bus: bus.isUp ? 'up' : 'down' } });

/** Finds out which turn follows which, and when sessions end. */
@Module({})
export class SessionTrackerModule {
  static forSettings(settings: Settings): DynamicModule {
    return {
      module: SessionTrackerModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule.forApp('session-tracker'),
        BusModule.forApp('session-tracker'),
        HealthModule.forApp({ app: 'session-tracker', inject: [Bus], check: readinessCheck }),
      ],
      providers: [
        { provide: Patience, useFactory: () => new Patience() },
        Stores,
        Outcomes,
        ToolClients,
        Places,
        Pairs,
        Progress,
        Sessions,
        EndQueue,
        Sweeper,
        OpenSessions,
        TurnHandler,
        StoredTurns,
        FeedbackHandler,
        Consumers,
      ],
    };
  }
}
