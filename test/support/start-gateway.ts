import 'reflect-metadata';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { endConnectionsAtClose } from '@app/telemetry';
import { configureApp } from '../../apps/gateway/src/configure-app';
import { GatewayModule } from '../../apps/gateway/src/gateway.module';
import { gatewayAdapter } from '../../apps/gateway/src/http/gateway-adapter';
import { settingsFrom } from './settings-from';

/** A gateway inside the test process, on a port of its own. */
export interface TestGateway {
  readonly url: string;
  readonly app: NestFastifyApplication;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Starts a gateway with settings from environment variables, the way an operator sets them. */
export const startGateway = async (
  env: Record<string, string>,
  adapter: FastifyAdapter = gatewayAdapter(),
): Promise<TestGateway> => {
  const settings = settingsFrom({ PORT: '0', ...env });
  const testing = await Test.createTestingModule({ imports: [GatewayModule.forSettings(settings)] }).compile();
  const app = testing.createNestApplication<NestFastifyApplication>(adapter, { logger: false });
  configureApp(app, settings.gateway);
  endConnectionsAtClose(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    url,
    app,
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: () => app.close(),
  };
};
