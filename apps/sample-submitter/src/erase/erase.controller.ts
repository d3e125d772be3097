import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { EraseSession } from '@app/contracts';
import { SessionEraser } from './session-eraser';

/** Answers requests to erase a session. */
@Controller()
export class EraseController {
  constructor(private readonly eraser: SessionEraser) {}

  @MessagePattern(EraseSession.subject)
  async erase(@Payload() request: string): Promise<string> {
    const { session } = EraseSession.decodeRequest(request);
    return EraseSession.encodeReply(await this.eraser.erase(session));
  }
}
