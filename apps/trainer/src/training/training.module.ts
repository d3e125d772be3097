import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings, TrainerBackendName } from '@app/config';
import { Telemetry } from '@app/telemetry';
import { DoorClient } from '../door/door-client';
import { FileBackend } from '../file/file-backend';
import { openPocketBackend } from '../pocket/open-pocket-backend';
import { TRAINER_BACKEND, type TrainerBackend } from './trainer-backend';
import { TrainingService } from './training.service';

const doorClient = ({ door, trainer }: Settings, { tracer }: Telemetry): DoorClient =>
  new DoorClient({
    url: trainer.doorUrl?.replace(/\/+$/, '') ?? `http://127.0.0.1:${door.port}`,
    apiKey: trainer.doorKey ?? door.apiKeys[0] ?? null,
    trainer: trainer.name,
    tracer,
  });

/** Every backend, by its name in `trainer.backend`. */
const BACKENDS: Readonly<Record<TrainerBackendName, (settings: Settings, door: DoorClient) => TrainerBackend>> = {
  file: ({ trainer }) => new FileBackend({ dir: trainer.dir, format: trainer.format, now: () => new Date() }),
  pocket: openPocketBackend,
};

/** The loop, its door and its backend. */
@Module({})
export class TrainingModule {
  static forSettings(settings: Settings): DynamicModule {
    return {
      module: TrainingModule,
      providers: [
        {
          provide: DoorClient,
          inject: [Telemetry],
          useFactory: (telemetry: Telemetry) => doorClient(settings, telemetry),
        },
        {
          provide: TRAINER_BACKEND,
          inject: [DoorClient],
          useFactory: (door: DoorClient) => BACKENDS[settings.trainer.backend](settings, door),
        },
        TrainingService,
      ],
      exports: [TrainingService],
    };
  }
}
