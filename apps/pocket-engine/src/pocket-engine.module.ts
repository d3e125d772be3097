import { Module, type DynamicModule } from '@nestjs/common';
import { SettingsModule, type Settings } from '@app/config';
import { HealthModule, TelemetryModule, type ReadinessCheck } from '@app/telemetry';
import { ChatController } from './chat/chat.controller';
import { ControlController } from './control/control.controller';
import { EngineMetrics } from './control/engine-metrics';
import { InfoController } from './control/info.controller';
import { GenerateController } from './generate/generate.controller';
import { Scheduler } from './generation/scheduler';
import { firstWeights } from './model/first-weights';
import { PocketModel } from './model/pocket-model';
import { WeightsNote } from './model/weights-note';

/** A small language model on this machine's CPU, behind SGLang's HTTP protocol. */
@Module({})
export class PocketEngineModule {
  static forSettings(settings: Settings): DynamicModule {
    const { modelDir, streams, servedFile } = settings.pocket;
    const model = new PocketModel(modelDir, streams);
    const note = new WeightsNote(servedFile);
    const scheduler = new Scheduler(model, firstWeights(model, note));
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
        { provide: WeightsNote, useValue: note },
      ],
    };
  }
}
