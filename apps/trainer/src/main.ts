import { loadSettings } from '@app/config';
import { launch, runWorker } from '@app/telemetry';
import { TrainerModule } from './trainer.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  await runWorker(TrainerModule.forSettings(settings), settings);
};

launch('trainer', main);
