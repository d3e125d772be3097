import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { plainHttpWarning, type GatewaySettings } from '@app/config';
import { configureHttp } from './http/configure-http';

/** The gateway's HTTP side, and a warning where it can be overheard. */
export const configureApp = (app: NestFastifyApplication, gateway: GatewaySettings): void => {
  configureHttp(app, gateway);
  const warning = plainHttpWarning(gateway.host, 'keys and conversations');
  if (warning !== null) new Logger('gateway').warn(warning);
};
