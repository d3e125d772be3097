import { Module, type DynamicModule } from '@nestjs/common';
import { CaptureModule } from '../capture/capture.module';
import { GateModule } from '../gate/gate.module';
import { FeedbackService } from '../feedback/feedback.service';
import { KnownSessions } from '../sessions/known-sessions';
import { SessionsService } from '../sessions/sessions.service';
import { UpstreamModule } from '../upstream/upstream.module';
import { ConsoleDataController } from './console-data.controller';
import { BUILT_CONSOLE, readConsoleFiles } from './console-files';
import { CONSOLE_FILES, ConsolePageController } from './console-page.controller';
import { ConsoleQueries } from './console-queries';
import { ConsoleRoleController } from './console-role.controller';
import { ConsoleWork } from './console-work';
import { ConsoleGuard } from './console.guard';
import { GatewayView } from './gateway-view';
import { LiveFeed } from './live-feed';

/** The console: its files, its data, its live events. Switched off, none of its routes are there. */
@Module({})
export class ConsoleModule {
  static forSettings({ enabled }: { readonly enabled: boolean }): DynamicModule {
    if (!enabled) return { module: ConsoleModule };
    return {
      module: ConsoleModule,
      imports: [CaptureModule, GateModule, UpstreamModule],
      controllers: [ConsolePageController, ConsoleRoleController, ConsoleDataController],
      providers: [
        { provide: CONSOLE_FILES, useFactory: () => readConsoleFiles(BUILT_CONSOLE) },
        ConsoleGuard,
        ConsoleQueries,
        ConsoleWork,
        LiveFeed,
        GatewayView,
        KnownSessions,
        FeedbackService,
        SessionsService,
      ],
    };
  }
}
