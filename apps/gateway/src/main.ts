import { Logger } from '@nestjs/common';
import { isLoopback, loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { GatewayModule } from './gateway.module';
import { configureHttp } from './http/configure-http';
import { gatewayAdapter } from './http/gateway-adapter';

const main = async (): Promise<void> => {
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
      configureHttp(app, gateway);
      if (!isLoopback(gateway.host)) {
        new Logger('gateway').warn(
          `listening on ${gateway.host} with plain HTTP: keys and conversations cross the network unencrypted, put TLS in front`,
        );
      }
    },
  });
};

launch('gateway', main);
