import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import { TurnRecorder, type ServedResult } from '../capture/turn-recorder';
import { upstreamError } from '../errors/upstream-error';
import { Gate } from '../gate/gate';
import type { Admitted } from './exchange';
import { Routes } from './routes';
import { Watchdog } from './watchdog';

/** Serves chats that have been let in, each as a turn that is recorded on the side. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly routes: Routes,
    private readonly recorder: TurnRecorder,
    private readonly gate: Gate,
    private readonly settings: Settings,
  ) {}

  /** @throws OpenAiError for everything that fails before the first byte. */
  async serve(admitted: Admitted): Promise<void> {
    const { turnId, chat, request, client, abort } = admitted;
    if (!client.headersSent) client.setHeader('x-rl-turn-id', turnId);
    const { samplingDefaults, ...placement } = this.routes.place(admitted);
    const { headers, scope } = chat;
    const turn = this.recorder.begin(turnId, { request, headers, scope, samplingDefaults });
    const watchdog = new Watchdog(abort, this.settings.gateway, () => this.gate.isClosed);
    const { route } = placement.engine;
    let result: ServedResult = { answer: null, failure: 'gateway_error', route };
    try {
      result = await this.routes.serve({ ...admitted, ...placement, watchdog, turn });
    } catch (error) {
      const failure = upstreamError(error, turnId);
      result = { answer: null, failure: failure.code ?? 'upstream_failed', route };
      throw failure;
    } finally {
      watchdog.stop();
      this.recorder.finish(turn, result);
    }
  }
}
