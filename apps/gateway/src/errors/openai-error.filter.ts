import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { toOpenAiError } from './to-openai-error';

/** Answers every error of every route in OpenAI's envelope. */
@Catch()
export class OpenAiErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { status, headers, body } = toOpenAiError(error);
    void reply.status(status).headers(headers).send(body);
  }
}
