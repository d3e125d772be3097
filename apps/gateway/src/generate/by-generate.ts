import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { UpstreamResponse } from '@app/engines';
import type { RecordedAnswer } from '../capture/answer-recorder';
import type { ServedResult } from '../capture/turn-recorder';
import { Delivery } from '../chat/delivery';
import type { Exchange } from '../chat/exchange';
import { isOk } from '../chat/upstream-response';
import type { ChatRequest } from '../chat/parse-request';
import { OpenAiError } from '../errors/openai-error';
import { Gate } from '../gate/gate';
import type { PolicyEngine } from '../upstream/policy-engine';
import { UpstreamService } from '../upstream/upstream.service';
import { GenerationService, type BegunPrompt, type Generation } from './generation.service';

/** Before an engine is asked again that has let go of an answer without a token more. */
const PAUSE_MS = 100;

/** Serves a chat through the engine's `/generate`, with a prompt that is rendered here. */
@Injectable()
export class ByGenerate {
  constructor(
    private readonly upstream: UpstreamService,
    private readonly generations: GenerationService,
    private readonly delivery: Delivery,
    private readonly gate: Gate,
  ) {}

  /** Begins with the chat's prompt, so that other work can go on beside it; null where the chat does not go this way. */
  begin(request: ChatRequest, engine: PolicyEngine): BegunPrompt | null {
    return engine.route === 'generate' ? this.generations.begin(request, engine) : null;
  }

  /**
   * null where the chat cannot go this way.
   * @throws OpenAiError, or what the HTTP client throws, before the first byte
   */
  async serve(exchange: Exchange, onFirstByte: () => void): Promise<ServedResult | null> {
    const { turnId, request, turn, engine, begun } = exchange;
    const conversation = turn?.conversation ?? null;
    const generation = await this.generations.prepare({ turnId, request, conversation, engine, begun });
    if (generation === null) return null;
    let answer: RecordedAnswer | null = null;
    try {
      const response = await this.post(exchange, generation.body);
      onFirstByte();
      const result = await this.passOn(exchange, generation, response);
      if (result.answer !== null && result.delivered) answer = result.answer;
      return result;
    } finally {
      generation.settle(answer);
    }
  }

  private async passOn(exchange: Exchange, generation: Generation, response: UpstreamResponse): Promise<ServedResult> {
    const recorder = this.delivery.recorderOf(response);
    const relay = generation.relay(recorder, () => this.gate.isClosed);
    const goOn = async (): Promise<UpstreamResponse | null> => {
      const interruption = relay.takeInterruption();
      if (interruption === null) return null;
      if (interruption.isRepeated) await setTimeout(PAUSE_MS, undefined, { signal: exchange.abort.signal });
      return this.askOn(exchange, generation.continuedBody(interruption.generated));
    };
    const result = await this.delivery.passOn(exchange, response, { relay, recorder, goOn });
    return result.answer === null
      ? { ...result, route: 'generate' }
      : { ...result, route: 'generate', logProbsTempered: exchange.engine.logProbsTempered };
  }

  /** @throws OpenAiError where the engine refuses to go on: what has come is half an answer */
  private async askOn(exchange: Exchange, body: Buffer): Promise<UpstreamResponse> {
    const response = await this.post(exchange, body);
    if (isOk(response)) return response;
    await response.body.dump();
    throw new OpenAiError(502, 'upstream_interrupted', 'the model did not go on behind its weight update');
  }

  private post(exchange: Exchange, body: Buffer): Promise<UpstreamResponse> {
    const { signal } = exchange.abort;
    const headers = { ...exchange.forwarded, ...this.upstream.headersOf(exchange.session) };
    return exchange.engine.client.request('POST', '/generate', { api: 'engine', body, headers, signal });
  }
}
