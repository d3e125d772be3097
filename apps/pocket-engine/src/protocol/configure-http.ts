import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EngineErrorFilter } from './engine-error.filter';

/** Real prompts are large before the template cuts them. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Errors in SGLang's envelope, bodies up to the limit. */
export const configureHttp = (app: NestFastifyApplication): void => {
  app.useBodyParser('application/json', { bodyLimit: BODY_LIMIT_BYTES });
  app.useGlobalFilters(new EngineErrorFilter());
};
