import { Module, type DynamicModule } from '@nestjs/common';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule, type ReadinessCheck } from '@app/telemetry';
import { ChatController } from './chat/chat.controller';
import { ControlController } from './control/control.controller';
import { EngineMetrics } from './control/engine-metrics';
import { InfoController, MODEL_ID } from './control/info.controller';
import { GenerateController } from './generate/generate.controller';
import { Scheduler } from './generation/scheduler';
import { PocketModel } from './model/pocket-model';

const FIRST_VERSION = 'default';

/** A small language model on this machine's CPU, behind SGLang's HTTP protocol. */
@Module({})
export class PocketEngineModule {
  static forSettings(settings: Settings): DynamicModule {
    const { modelDir, streams } = settings.pocket;
    const model = new PocketModel(modelDir, streams);
    const scheduler = new Scheduler(model, { path: MODEL_ID, version: FIRST_VERSION });
    return {
      module: PocketEngineModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule,
        HealthModule.forApp({
          app: 'pocket-engine',
          inject: [],
          check: (): ReadinessCheck => () => ({ ready: true, status: 'ok', detail: {} }),
        }),
      ],
      controllers: [ChatController, GenerateController, ControlController, InfoController],
      providers: [
        EngineMetrics,
        { provide: PocketModel, useValue: model },
        { provide: Scheduler, useValue: scheduler },
      ],
    };
  }
}
