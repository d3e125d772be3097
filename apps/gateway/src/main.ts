import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { configureApp } from './configure-app';
import { countBuffersAsHeap } from './count-buffers';
import { GatewayModule } from './gateway.module';
import { gatewayAdapter } from './http/gateway-adapter';

const main = async (): Promise<void> => {
  countBuffersAsHeap();
  const settings = loadSettings();
  const { gateway } = settings;
  await runApp({
    module: GatewayModule.forSettings(settings),
    host: gateway.host,
    port: gateway.port,
    logLevel: settings.logs.level,
    logFormat: settings.logs.format,
    adapter: gatewayAdapter(),
    configure: (app) => {
      configureApp(app, gateway);
    },
  });
};

launch('gateway', main);
