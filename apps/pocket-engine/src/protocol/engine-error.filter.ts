import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { OutOfMemoryError, SequenceError } from '@app/pocket-lm';
import { errorPlace } from '@app/telemetry';
import type { FastifyReply } from 'fastify';
import { EngineError } from './engine-error';

const toEngineError = (error: unknown): EngineError => {
  if (error instanceof EngineError) return error;
  if (error instanceof HttpException) return new EngineError(error.getStatus(), error.message);
  if (error instanceof SequenceError || error instanceof OutOfMemoryError) return new EngineError(400, error.message);
  return new EngineError(500, 'Internal server error');
};

/** Errors in SGLang's envelope. */
@Catch()
export class EngineErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('pocket-engine');

  catch(error: unknown, host: ArgumentsHost): void {
    const { status, body } = toEngineError(error);
    if (status >= 500) this.logger.error(`a request failed: ${errorPlace(error)}`);
    void host.switchToHttp().getResponse<FastifyReply>().status(status).send(body);
  }
}
