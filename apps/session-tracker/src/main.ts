import { loadSettings } from '@app/config';
import { launch, runWorker } from '@app/telemetry';
import { SessionTrackerModule } from './session-tracker.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  await runWorker(SessionTrackerModule.forSettings(settings), settings);
};

launch('session-tracker', main);
