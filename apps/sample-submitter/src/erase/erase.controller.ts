import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { EraseSession } from '@app/contracts';
import { ConsoleIndex } from '../console/console-index';
import { SessionEraser } from './session-eraser';

/** Answers requests to erase a session. */
@Controller()
export class EraseController {
  constructor(
    private readonly eraser: SessionEraser,
    private readonly index: ConsoleIndex,
  ) {}

  @MessagePattern(EraseSession.subject)
  async erase(@Payload() request: string): Promise<string> {
    const { session } = EraseSession.decodeRequest(request);
    const { turns, messages, records } = await this.eraser.erase(session);
    for (const turnId of turns) this.index.forget(turnId);
    return EraseSession.encodeReply({ messages, records });
  }
}
