import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { SessionTrackerModule } from './session-tracker.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  await runApp({
    module: SessionTrackerModule.forSettings(settings),
    host: settings.metrics.host,
    port: settings.metrics.port,
    logLevel: settings.logs.level,
    logFormat: settings.logs.format,
  });
};

launch('session-tracker', main);
