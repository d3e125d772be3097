import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { configureHttp } from './protocol/configure-http';
import { PocketEngineModule } from './pocket-engine.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  const { pocket, logs } = settings;
  await runApp({
    module: PocketEngineModule.forSettings(settings),
    host: pocket.host,
    port: pocket.port,
    logLevel: logs.level,
    logFormat: logs.format,
    configure: configureHttp,
  });
};

launch('pocket-engine', main);
