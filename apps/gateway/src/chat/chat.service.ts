import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ClientGoneError } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { OpenAiError } from '../errors/openai-error';
import { GatePass } from '../gate/gate-pass';
import { ChatLoad } from './chat-load';
import type { ClientConnection } from './client-connection';
import type { Admitted, IncomingChat } from './exchange';
import { assertSessionHeaders } from './identify';
import { parseChatRequest } from './parse-request';
import { Stopwatch } from './stopwatch';
import { TurnsService } from './turns.service';

/** What the client has to answer for, and what it was asked to wait for, is no failure. */
const isFault = (error: unknown): boolean =>
  !(error instanceof OpenAiError && (error.status < 500 || error.status === 503));

/** The root of a turn's tree. A client's own trace may span many turns: it is no parent, but linked. */
const turnSpan = ({ headers }: IncomingChat) => {
  const { traceparent } = headers;
  const linked = typeof traceparent === 'string' ? traceparent : undefined;
  return { name: 'chat', kind: 'server', attributes: { 'gen_ai.operation.name': 'chat' }, linked, isFault } as const;
};

/** Lets chats in: room for one more, a request that is well-formed, an open gate. */
@Injectable()
export class ChatService {
  constructor(
    private readonly load: ChatLoad,
    private readonly pass: GatePass,
    private readonly turns: TurnsService,
    private readonly telemetry: Telemetry,
  ) {}

  /** @throws OpenAiError for everything that fails before the first byte. */
  async serve(chat: IncomingChat, client: ClientConnection): Promise<void> {
    await this.load.run(async () => {
      const admitted = this.admit(chat, client);
      const { turnId } = admitted;
      await this.telemetry.tracer.turn(turnId, turnSpan(chat), () =>
        this.pass.through(admitted, () => {
          admitted.ownWork.goOn();
          return this.turns.serve(admitted);
        }),
      );
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
