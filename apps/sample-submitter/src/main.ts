import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { configureApp } from './configure-app';
import { doorAdapter } from './door/door-adapter';
import { SampleSubmitterModule } from './sample-submitter.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  const { door, logs } = settings;
  await runApp({
    module: SampleSubmitterModule.forSettings(settings),
    host: door.host,
    port: door.port,
    logLevel: logs.level,
    logFormat: logs.format,
    adapter: doorAdapter(),
    configure: (app) => {
      configureApp(app, door);
    },
  });
};

launch('sample-submitter', main);
