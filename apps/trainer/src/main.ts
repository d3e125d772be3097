import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { TrainerModule } from './trainer.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  const { metrics, logs } = settings;
  await runApp({
    module: TrainerModule.forSettings(settings),
    host: metrics.host,
    port: metrics.port,
    logLevel: logs.level,
    logFormat: logs.format,
  });
};

launch('trainer', main);
