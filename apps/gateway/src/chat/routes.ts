import { Injectable } from '@nestjs/common';
import type { Sampling } from '@app/contracts';
import { ClientGoneError, UpstreamUnreachableError } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { ERROR_TYPE } from '@app/tracing';
import type { ServedResult } from '../capture/turn-recorder';
import { upstreamError } from '../errors/upstream-error';
import { ByGenerate } from '../generate/by-generate';
import type { PolicyEngine } from '../upstream/policy-engine';
import { UpstreamService } from '../upstream/upstream.service';
import { ByChat } from './by-chat';
import { forwardedHeaders, type Admitted, type Exchange } from './exchange';
import { affinityKey } from './identify';

/** Failures that are no engine's: the client went, or asked for what the engine refuses; not its key, the model or the load. */
const CLIENTS_FAULT = /^(client_gone|status_4(?!01|03|04|29)\d\d)$/;

const isNotClients = (error: unknown): boolean => !(error instanceof ClientGoneError);

/** A chat and where it is sent. */
type Placed = Omit<Exchange, 'forwarded'>;

/** Where a chat is sent. */
export interface Placement extends Pick<Exchange, 'session' | 'engine' | 'begun'> {
  /** Sampling where the request names none. */
  readonly samplingDefaults: Sampling;
}

/** Sends chats to the engine of their session, by the route that is the best one there. */
@Injectable()
export class Routes {
  constructor(
    private readonly upstream: UpstreamService,
    private readonly byChat: ByChat,
    private readonly byGenerate: ByGenerate,
    private readonly telemetry: Telemetry,
  ) {}

  place({ chat, request }: Admitted): Placement {
    // Where there is one engine nobody asks which session it is.
    const session = this.upstream.hasChoice ? affinityKey(chat.headers, request, chat.scope) : '';
    const engine = this.upstream.choose(session);
    const begun = this.byGenerate.begin(request, engine);
    return { session, engine, begun, samplingDefaults: this.upstream.samplingDefaults(engine) };
  }

  /**
   * Serves a chat; by another engine where its own could not be reached at all.
   * @throws OpenAiError, or what the HTTP client throws, before the first byte
   */
  async serve(exchange: Placed): Promise<ServedResult> {
    const { firstByteSeconds, overheadSeconds } = this.telemetry.metrics;
    overheadSeconds.observe(exchange.ownWork.seconds);
    const onFirstByte = firstByteSeconds.startTimer();
    try {
      return await this.serveAt(exchange, onFirstByte);
    } catch (error) {
      const other = this.otherThan(exchange, error);
      if (other === null) throw error;
      return this.serveAt(
        { ...exchange, engine: other, begun: this.byGenerate.begin(exchange.request, other) },
        onFirstByte,
      );
    }
  }

  /** In a span of its own, up to the end of the answer; what the engine traces of it is part of that. */
  private serveAt(placed: Placed, onFirstByte: () => void): Promise<ServedResult> {
    const { tracer } = this.telemetry;
    const { engine, chat } = placed;
    const attributes = { 'gen_ai.operation.name': 'chat', 'server.address': engine.name };
    return tracer.span('upstream', { kind: 'client', attributes, isFault: isNotClients }, async () => {
      const exchange = { ...placed, forwarded: forwardedHeaders(chat.headers, tracer.traceparent) };
      const result = await this.ask(exchange, () => {
        onFirstByte();
        tracer.event('first byte');
      });
      if (result.answer === null) tracer.note({ [ERROR_TYPE]: result.failure });
      return result;
    });
  }

  private async ask(exchange: Exchange, onFirstByte: () => void): Promise<ServedResult> {
    const { engine, turnId } = exchange;
    const { route } = engine;
    const wasStale = this.upstream.isStale(engine);
    try {
      const generated = route === 'generate' ? await this.byGenerate.serve(exchange, onFirstByte) : null;
      const result = generated ?? (await this.byChat.serve(exchange, route, onFirstByte));
      if (result.answer === null) {
        this.noteFailure(exchange, result.failure);
        return result;
      }
      if (!result.answer.failed) this.upstream.noteAnswer(engine);
      return { ...result, isStale: wasStale || this.upstream.isStale(engine) };
    } catch (error) {
      this.noteFailure(exchange, upstreamError(error, turnId).code ?? 'upstream_failed');
      throw error;
    }
  }

  private noteFailure({ engine, turnId }: Exchange, code: string): void {
    if (!CLIENTS_FAULT.test(code)) this.upstream.noteFailure(engine, turnId, code);
  }

  /** Who has not answered at all has given the client nothing yet. */
  private otherThan({ engine, session, abort }: Placed, error: unknown): PolicyEngine | null {
    if (!(error instanceof UpstreamUnreachableError) || abort.signal.aborted) return null;
    return this.upstream.chooseBesides(engine, session);
  }
}
