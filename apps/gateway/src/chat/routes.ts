import { Injectable } from '@nestjs/common';
import { Telemetry } from '@app/telemetry';
import type { ServedResult } from '../capture/turn-recorder';
import { ByGenerate } from '../generate/by-generate';
import { UpstreamService } from '../upstream/upstream.service';
import { ByChat } from './by-chat';
import type { Exchange } from './exchange';

/** Sends chats to the model by the route that is the best one now. */
@Injectable()
export class Routes {
  constructor(
    private readonly upstream: UpstreamService,
    private readonly byChat: ByChat,
    private readonly byGenerate: ByGenerate,
    private readonly telemetry: Telemetry,
  ) {}

  /** @throws OpenAiError, or what the HTTP client throws, before the first byte */
  async serve(exchange: Exchange): Promise<ServedResult> {
    const { firstByteSeconds, overheadSeconds } = this.telemetry.metrics;
    const { route } = this.upstream;
    overheadSeconds.observe(exchange.ownWork.seconds);
    const onFirstByte = firstByteSeconds.startTimer();
    const generated = route === 'generate' ? await this.byGenerate.serve(exchange, onFirstByte) : null;
    return generated ?? this.byChat.serve(exchange, route, onFirstByte);
  }

  /** A chat had no answer, and it was not its client that went. */
  noteFailure(code: string): void {
    this.upstream.noteFailure(code);
  }
}
