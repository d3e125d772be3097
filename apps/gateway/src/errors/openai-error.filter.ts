import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { OpenAiError } from './openai-error';
import { frameworkStatus, toOpenAiError } from './to-openai-error';

const tooLarge = (limitMb: number): OpenAiError =>
  new OpenAiError(
    413,
    'body_too_large',
    `the request body is over ${limitMb} MiB, the most that gateway.body_limit_mb allows`,
  );

/** Answers every error of every route in OpenAI's envelope. */
@Catch()
export class OpenAiErrorFilter implements ExceptionFilter {
  constructor(private readonly bodyLimitMb: number) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { status, headers, body } =
      frameworkStatus(error) === 413 ? tooLarge(this.bodyLimitMb) : toOpenAiError(error);
    void reply.status(status).headers(headers).send(body);
  }
}
