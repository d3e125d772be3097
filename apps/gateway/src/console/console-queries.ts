import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import type { RpcDefinition } from '@app/contracts';
import { OpenAiError } from '../errors/openai-error';

const TIMEOUT_MS = 10_000;

/** Asks sample-submitter, which knows the streams. */
@Injectable()
export class ConsoleQueries {
  constructor(private readonly bus: Bus) {}

  /**
   * The reply as it came, in JSON: whoever made it has held it against its schema's type, and reading half a megabyte of tokens
   * here would take time from chats.
   * @throws BusUnavailableError, OpenAiError 503
   */
  async ask<Request, Reply>(query: RpcDefinition<Request, Reply>, request: Request): Promise<string> {
    try {
      const reply = await this.bus.core().request(query.subject, query.encodeRequest(request), { timeout: TIMEOUT_MS });
      return reply.string();
    } catch (cause) {
      if (!this.bus.isUp) throw cause;
      const message = 'sample-submitter, which knows the turns, does not answer; try again shortly';
      throw new OpenAiError(503, 'console_unavailable', message, { retryAfterSeconds: 2, cause });
    }
  }
}
