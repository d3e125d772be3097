import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ClientGoneError } from '@app/engines';
import { GatePass } from '../gate/gate-pass';
import { ChatLoad } from './chat-load';
import type { ClientConnection } from './client-connection';
import type { Admitted, IncomingChat } from './exchange';
import { assertSessionHeaders } from './identify';
import { parseChatRequest } from './parse-request';
import { Stopwatch } from './stopwatch';
import { TurnsService } from './turns.service';

/** Lets chats in: room for one more, a request that is well-formed, an open gate. */
@Injectable()
export class ChatService {
  constructor(
    private readonly load: ChatLoad,
    private readonly pass: GatePass,
    private readonly turns: TurnsService,
  ) {}

  /** @throws OpenAiError for everything that fails before the first byte. */
  async serve(chat: IncomingChat, client: ClientConnection): Promise<void> {
    await this.load.run(async () => {
      const admitted = this.admit(chat, client);
      await this.pass.through(admitted, () => {
        admitted.ownWork.goOn();
        return this.turns.serve(admitted);
      });
    });
  }

  /** Checks the request and follows the client. */
  private admit(chat: IncomingChat, client: ClientConnection): Admitted {
    const ownWork = new Stopwatch();
    const request = parseChatRequest(chat.raw);
    assertSessionHeaders(chat.headers);
    ownWork.stop();
    const abort = new AbortController();
    client.onGone(() => {
      abort.abort(new ClientGoneError('the client closed its connection'));
    });
    abort.signal.addEventListener('abort', () => {
      if (abort.signal.reason instanceof ClientGoneError) client.drop();
    });
    // The turn's id is also the client's `x-rl-turn-id`.
    return { turnId: randomUUID(), chat, request, client, abort, ownWork };
  }
}
