import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { bodyOf, scopeOfRequest, type GatewayRequest } from '../http/gateway-request';
import { OpenAiError } from '../errors/openai-error';
import { toOpenAiError } from '../errors/to-openai-error';
import { Telemetry } from '@app/telemetry';
import { ChatService } from './chat.service';
import { ClientConnection } from './client-connection';

const CLIENT_CLOSED_REQUEST = 499;

/** `POST /v1/chat/completions`. Writes to the socket itself, since an answer is passed on as it comes. */
@Controller('v1/chat')
export class ChatController {
  constructor(
    private readonly chat: ChatService,
    private readonly telemetry: Telemetry,
  ) {}

  @Post('completions')
  async complete(@Req() request: GatewayRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    const client = new ClientConnection(reply.raw);
    try {
      await this.chat.serve({ raw: bodyOf(request), headers: request.headers, scope: scopeOfRequest(request) }, client);
    } catch (error) {
      await this.refuse(client, toOpenAiError(error));
    }
  }

  private async refuse(client: ClientConnection, error: OpenAiError): Promise<void> {
    this.telemetry.metrics.chatRequests.inc({ status: String(error.status), stream: 'none' });
    if (error.status === CLIENT_CLOSED_REQUEST) return;
    const headers = { 'content-type': 'application/json; charset=utf-8', ...error.headers };
    await client.send(error.status, headers, JSON.stringify(error.body));
  }
}
