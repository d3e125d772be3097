import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { OpenAiErrorFilter } from '../errors/openai-error.filter';
import { installAuth } from '../auth/auth.hook';
import type { AccessRules } from '../auth/authenticate';

const MIB = 1024 * 1024;

/** Limits and rules of the gateway's HTTP side. */
export interface HttpRules extends AccessRules {
  readonly bodyLimitMb: number;
}

/** Keys first, bodies as bytes up to the limit, errors in OpenAI's envelope. */
export const configureHttp = (app: NestFastifyApplication, rules: HttpRules): void => {
  const server = app.getHttpAdapter().getInstance();
  installAuth(server, rules);
  const bytes = (_request: unknown, body: Buffer, done: (error: Error | null, body?: Buffer) => void): void => {
    done(null, body);
  };
  app.useBodyParser('application/json', { bodyLimit: rules.bodyLimitMb * MIB }, bytes);
  app.useBodyParser('*', { bodyLimit: rules.bodyLimitMb * MIB }, bytes);
  app.useGlobalFilters(new OpenAiErrorFilter());
};
