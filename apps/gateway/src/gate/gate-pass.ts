import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import type { Admitted } from '../chat/exchange';
import { STREAM_HEAD } from '../chat/stream-head';
import { Gate } from './gate';
import { emptyChunk, whileStill } from './still-stream';

/** Lets chats through the update gate; while it is closed they wait, streams with their head sent if it is wished. */
@Injectable()
export class GatePass {
  constructor(
    private readonly gate: Gate,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Runs `serve` once the gate lets the chat in.
   * @throws OpenAiError 503 if the gate stays closed for longer than the request may wait
   */
  async through(chat: Admitted, serve: () => Promise<void>): Promise<void> {
    if (this.gate.isClosed) await this.telemetry.tracer.span('held at the gate', {}, () => this.wait(chat));
    else await this.gate.enter(chat.abort.signal, 0);
    try {
      await serve();
    } finally {
      this.gate.leave();
    }
  }

  private async wait({ turnId, request, client, abort }: Admitted): Promise<void> {
    const { gate, server } = this.settings;
    const holdMs = gate.holdS * 1000;
    const isHeldOpen = gate.holdStreams && request.stream;
    if (isHeldOpen) client.beginStream(200, { ...STREAM_HEAD, 'x-rl-turn-id': turnId });
    const stop = whileStill(this.gate, () => {
      if (isHeldOpen) client.write(emptyChunk(turnId, server.servedModelName));
    });
    await this.gate.enter(abort.signal, isHeldOpen ? gate.holdMaxS * 1000 : holdMs).finally(stop);
  }
}
