import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { httpAdapter } from '@app/http';
import { doorAnswer } from './door-error';

/** The door's fastify: its envelope also where no route is reached. */
export const doorAdapter = (): FastifyAdapter =>
  httpAdapter({ envelope: ({ status, code, message }) => doorAnswer(status, code, message).body });
