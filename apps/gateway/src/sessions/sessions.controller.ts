import { Controller, Delete, HttpCode, Param, Post, Req } from '@nestjs/common';
import { bodyOf, parseBody, scopeOfRequest, type GatewayRequest } from '../http/gateway-request';
import { invalidRequest } from '../errors/openai-error';
import { isSessionName, SESSION_NAME_FORM } from '../http/session-name';
import { SessionEndDto } from './session-end.dto';
import { SessionsService, type Erased } from './sessions.service';

/** @throws OpenAiError 400 */
const sessionNameOf = (id: string): string => {
  if (!isSessionName(id)) throw invalidRequest('id', `must be ${SESSION_NAME_FORM}`);
  return id;
};

/** `POST /v1/sessions/{id}/end` and `DELETE /v1/sessions/{id}`. A caller reaches its own sessions only. */
@Controller('v1/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Post(':id/end')
  @HttpCode(202)
  async end(
    @Param('id') id: string,
    @Req() request: GatewayRequest,
  ): Promise<{ session_id: string; status: 'ending' }> {
    const { outcome } = parseBody(SessionEndDto, bodyOf(request));
    await this.sessions.end(scopeOfRequest(request), sessionNameOf(id), outcome);
    return { session_id: id, status: 'ending' };
  }

  @Delete(':id')
  async erase(
    @Param('id') id: string,
    @Req() request: GatewayRequest,
  ): Promise<{ session_id: string; deleted: Erased }> {
    return { session_id: id, deleted: await this.sessions.erase(scopeOfRequest(request), sessionNameOf(id)) };
  }
}
