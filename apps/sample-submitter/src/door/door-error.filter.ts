import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { errorPlace } from '@app/telemetry';
import type { DoorReply, DoorRequest } from './http';
import { toDoorAnswer } from './door-error';

const RETRY_AFTER_S = 1;

/** Sends every error of this server in one envelope. */
@Catch()
export class DoorErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('door');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { status, body } = toDoorAnswer(error, http.getRequest<DoorRequest>().routeOptions.bodyLimit);
    if (status === 500) this.logger.error(`a request failed: ${errorPlace(error)}`);
    const reply = http.getResponse<DoorReply>();
    if (status === 503 || status === 429) void reply.header('retry-after', String(RETRY_AFTER_S));
    void reply.status(status).send(body);
  }
}
