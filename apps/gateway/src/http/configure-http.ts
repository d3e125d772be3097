import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { parseBodiesBy } from '@app/http';
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
  parseBodiesBy(app, (body) => body, { bodyLimit: rules.bodyLimitMb * MIB });
  app.useGlobalFilters(new OpenAiErrorFilter(rules.bodyLimitMb));
};
