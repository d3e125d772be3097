import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import type { CaptureRoute } from '@app/contracts';
import { ClientGoneError, type UpstreamResponse } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { AnswerRecorder, type RecordedAnswer } from '../capture/answer-recorder';
import type { Turn } from '../capture/turn-messages';
import { TurnRecorder, type ServedResult } from '../capture/turn-recorder';
import { withErrorEnvelope } from '../errors/error-envelope';
import { upstreamError } from '../errors/upstream-error';
import { OpenAiError } from '../errors/openai-error';
import { Gate } from '../gate/gate';
import { emptyChunk, whileStill } from '../gate/still-stream';
import type { Generation, GenerationService } from '../generate/generation.service';
import { AnswerMeter, readWhole } from '../upstream/read-answer';
import { UpstreamService } from '../upstream/upstream.service';
import { piecesOf, type AnswerReader, type PassedOn } from './answer-reader';
import type { ClientConnection } from './client-connection';
import { NO_ADDITIONS, type Additions } from './client-view';
import { assertSessionHeaders } from './identify';
import { parseChatRequest, type ChatRequest } from './parse-request';
import { StreamRelay } from './relay';
import { additionsFor, upstreamBody } from './upstream-request';
import { Stopwatch } from './stopwatch';
import { headOf, isOdd, isOk, isStream } from './upstream-response';
import { Watchdog } from './watchdog';

/** A chat request as it came in, its key already checked. */
export interface IncomingChat {
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly scope: string;
}

/** Request headers that mean something to the model's server as well. */
const FORWARDED = ['traceparent', 'tracestate', 'x-request-id'] as const;

/** Headers of a stream that keep proxies from holding it back. */
const STREAM_HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** What an upstream may still say behind its `[DONE]`. */
const REST_LIMIT_BYTES = 65_536;
const REST_TIMEOUT_MS = 1000;

interface Exchange {
  readonly turnId: string;
  readonly chat: IncomingChat;
  readonly request: ChatRequest;
  readonly client: ClientConnection;
  readonly abort: AbortController;
  readonly ownWork: Stopwatch;
  readonly watchdog: Watchdog;
  /** null where this turn is not recorded. */
  readonly turn: Turn | null;
}

const pick = (headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));

/** Statuses by which servers refuse fields that they do not know, or cannot combine with the client's. */
const MAY_BE_OUR_FAULT = new Set([400, 404, 415, 422, 500, 501]);

/** Serves chats: check, forward, relay, and record on the side. */
@Injectable()
export class ChatService {
  private inFlight = 0;
  private closing = false;
  private whenIdle: (() => void) | null = null;

  constructor(
    private readonly upstream: UpstreamService,
    private readonly recorder: TurnRecorder,
    private readonly gate: Gate,
    private readonly context: { settings: Settings; telemetry: Telemetry; generations: GenerationService },
  ) {}

  /** @throws OpenAiError for everything that fails before the first byte. */
  async serve(chat: IncomingChat, client: ClientConnection): Promise<void> {
    const { settings, telemetry } = this.context;
    if (this.closing) throw shuttingDown();
    if (this.inFlight >= settings.gateway.maxConcurrency) throw tooManyRequests();
    this.inFlight += 1;
    telemetry.metrics.chatInFlight.inc();
    const elapsed = telemetry.metrics.chatSeconds.startTimer();
    try {
      await this.exchange(chat, client);
    } finally {
      this.inFlight -= 1;
      telemetry.metrics.chatInFlight.dec();
      elapsed();
      if (this.inFlight === 0) this.whenIdle?.();
    }
  }

  /** Takes no new chat from now on; returns how many are still running. */
  close(): number {
    this.closing = true;
    return this.inFlight;
  }

  /** Resolves when no chat is running any more, or after `timeoutMs`. */
  async finished(timeoutMs: number): Promise<void> {
    if (this.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async exchange(chat: IncomingChat, client: ClientConnection): Promise<void> {
    const ownWork = new Stopwatch();
    const request = parseChatRequest(chat.raw);
    assertSessionHeaders(chat.headers);
    ownWork.stop();
    const turnId = this.recorder.newTurnId();
    const abort = new AbortController();
    client.onGone(() => {
      abort.abort(new ClientGoneError('the client closed its connection'));
    });
    abort.signal.addEventListener('abort', () => {
      if (abort.signal.reason instanceof ClientGoneError) client.drop();
    });
    await this.passGate(turnId, request, client, abort.signal);
    ownWork.goOn();
    try {
      await this.serveTurn({ turnId, chat, request, client, abort, ownWork });
    } finally {
      this.gate.leave();
    }
  }

  /** @throws OpenAiError 503 if the gate stays closed for longer than the request may wait */
  private async passGate(
    ...[turnId, request, client, signal]: [string, ChatRequest, ClientConnection, AbortSignal]
  ): Promise<void> {
    const { gate, server } = this.context.settings;
    const isHeldOpen = gate.holdStreams && request.stream && this.gate.isClosed;
    if (isHeldOpen) client.beginStream(200, { ...STREAM_HEAD, 'x-rl-turn-id': turnId });
    const stop = whileStill(this.gate, () => {
      if (isHeldOpen) client.write(emptyChunk(turnId, server.servedModelName));
    });
    await this.gate.enter(signal, (isHeldOpen ? gate.holdMaxS : gate.holdS) * 1000).finally(stop);
  }

  private async serveTurn(exchange: Omit<Exchange, 'watchdog' | 'turn'>): Promise<void> {
    const { turnId, chat, request, client, abort, ownWork } = exchange;
    if (!client.headersSent) client.setHeader('x-rl-turn-id', turnId);
    const turn = this.recorder.begin(turnId, { request, headers: chat.headers, scope: chat.scope });
    const watchdog = new Watchdog(abort, this.context.settings.gateway, () => this.gate.isClosed);
    let result: ServedResult = { answer: null, failure: 'gateway_error' };
    this.context.telemetry.metrics.overheadSeconds.observe(ownWork.seconds);
    try {
      result = await this.forward({ ...exchange, watchdog, turn });
    } catch (error) {
      const failure = upstreamError(error, turnId);
      result = { answer: null, failure: failure.code ?? 'upstream_failed' };
      throw failure;
    } finally {
      watchdog.stop();
      this.recorder.finish(turn, result);
      if (result.answer === null && result.failure !== 'client_gone') this.upstream.noteFailure(result.failure);
    }
  }

  private async forward(exchange: Exchange): Promise<ServedResult> {
    const { route } = this.upstream;
    const firstByte = this.context.telemetry.metrics.firstByteSeconds.startTimer();
    const generation = route === 'generate' ? await this.prepareGeneration(exchange) : null;
    if (generation !== null) return this.forwardGeneration(exchange, generation, firstByte);
    const { response, additions } = await this.ask(exchange, route);
    firstByte();
    const recorder = this.recorderOf(response);
    const { servedModelName: servedModel } = this.context.settings.server;
    const relay = new StreamRelay({ additions, servedModel, recorder });
    const result = await this.passOn(exchange, response, { relay, recorder });
    if (result.answer === null) return result;
    const { responseIds, failed } = result.answer;
    if (additions !== NO_ADDITIONS && responseIds === null && !failed) this.upstream.noteWithoutIds();
    return { ...result, route };
  }

  private prepareGeneration({ turnId, request, chat, turn }: Exchange): Promise<Generation | null> {
    return this.context.generations.prepare({
      turnId,
      request,
      raw: chat.raw,
      conversation: turn?.conversation ?? null,
    });
  }

  private async forwardGeneration(
    exchange: Exchange,
    generation: Generation,
    firstByte: () => void,
  ): Promise<ServedResult> {
    let answer: RecordedAnswer | null = null;
    try {
      const response = await this.postGenerate(exchange, generation.body);
      firstByte();
      const recorder = this.recorderOf(response);
      const relay = generation.relay(recorder, () => this.gate.isClosed);
      const goOn = async (): Promise<UpstreamResponse['body'] | null> => {
        const generated = relay.takeInterruption();
        return generated === null
          ? null
          : (await this.postGenerate(exchange, generation.continuedBody(generated))).body;
      };
      const result = await this.passOn(exchange, response, { relay, recorder, goOn });
      if (result.answer === null) return result;
      if (result.delivered) answer = result.answer;
      return { ...result, route: 'generate' };
    } finally {
      generation.settle(answer);
    }
  }

  private postGenerate({ chat, abort }: Exchange, body: Buffer): Promise<UpstreamResponse> {
    const headers = pick(chat.headers, FORWARDED);
    return this.upstream.client.request('POST', '/generate', { api: 'engine', body, headers, signal: abort.signal });
  }

  private recorderOf(response: UpstreamResponse): AnswerRecorder {
    return new AnswerRecorder(isStream(response) ? () => this.gate.policyVersion : undefined);
  }

  /** Gives the client what the upstream answered, and says how that went. */
  private async passOn(exchange: Exchange, response: UpstreamResponse, reader: AnswerReader): Promise<PassedOn> {
    if (isOdd(response)) throw await this.refuseOdd(response);
    if (!isOk(response)) return this.passError(exchange, response);
    const delivered = isStream(response)
      ? await this.relayStream(exchange, response, reader)
      : await this.relayWhole(exchange, response, reader);
    return { answer: reader.recorder.result(), delivered };
  }

  /** Asks with our additions; a server that fails on them is asked once more without: capture must not fail a chat. */
  private async ask(
    exchange: Exchange,
    route: CaptureRoute,
  ): Promise<{ response: UpstreamResponse; additions: Additions }> {
    const additions = this.upstream.refusesAdditions ? NO_ADDITIONS : additionsFor(exchange.request, route);
    const response = await this.post(exchange, additions);
    if (additions === NO_ADDITIONS) return { response, additions };
    if (isOk(response)) this.upstream.noteAccepted();
    if (!MAY_BE_OUR_FAULT.has(response.status)) return { response, additions };
    const refusal = (await readWhole(response)).toString('utf8');
    const plain = await this.post(exchange, NO_ADDITIONS);
    // Where this fails as well the request itself is at fault, and the second answer speaks of the client's fields only.
    if (isOk(plain)) this.upstream.noteRefused(refusal);
    return { response: plain, additions: NO_ADDITIONS };
  }

  private post(exchange: Exchange, additions: Additions): Promise<UpstreamResponse> {
    const { chat, request, abort } = exchange;
    const { server } = this.context.settings;
    return this.upstream.client.request('POST', '/chat/completions', {
      body: upstreamBody(request, { additions, model: server.policyModel, defaults: server }),
      headers: pick(chat.headers, FORWARDED),
      signal: abort.signal,
    });
  }

  /** Once the answer's status is certain; what is refused before is counted where it is refused. */
  private count({ request }: Exchange, { status }: UpstreamResponse): void {
    const { chatRequests } = this.context.telemetry.metrics;
    chatRequests.inc({ status: String(status), stream: String(request.stream) });
  }

  private async refuseOdd({ status, body }: UpstreamResponse): Promise<OpenAiError> {
    await body.dump();
    return new OpenAiError(502, 'upstream_odd_status', `the model's server answered with status ${status}`);
  }

  private async passError(exchange: Exchange, response: UpstreamResponse): Promise<PassedOn & { answer: null }> {
    const body = await readWhole(response);
    this.count(exchange, response);
    await exchange.client.send(response.status, headOf(response), withErrorEnvelope(body));
    return { answer: null, failure: `status_${response.status}` };
  }

  private async relayWhole(exchange: Exchange, response: UpstreamResponse, { relay }: AnswerReader): Promise<boolean> {
    const body = await readWhole(response);
    this.count(exchange, response);
    return exchange.client.send(response.status, headOf(response), relay.whole(body));
  }

  private async relayStream(exchange: Exchange, response: UpstreamResponse, reader: AnswerReader): Promise<boolean> {
    const { client, watchdog } = exchange;
    const { relay, recorder } = reader;
    const meter = new AnswerMeter();
    this.count(exchange, response);
    client.beginStream(response.status, { ...STREAM_HEAD, ...headOf(response) });
    const stop = whileStill(this.gate, () => {
      client.write(emptyChunk(exchange.turnId, this.context.settings.server.servedModelName));
    });
    try {
      for await (const chunk of piecesOf(response, reader)) {
        watchdog.feed();
        this.gate.noteAnswer();
        meter.add(chunk);
        const events = relay.push(chunk);
        if (relay.isDone) return await this.endStream(exchange, response, Buffer.concat(events));
        if (events.length === 0 || client.write(Buffer.concat(events))) continue;
        watchdog.waitForClient();
        await client.drained();
        watchdog.feed();
      }
    } catch (error) {
      recorder.markUnreadable();
      const failure = upstreamError(error, exchange.turnId);
      return await client.end(`data: ${JSON.stringify(failure.body)}\n\n`);
    } finally {
      stop();
    }
    return client.end(Buffer.concat(relay.flush()));
  }

  /** The answer is whole with `[DONE]`: the client does not wait for the upstream to hang up. */
  private async endStream({ client }: Exchange, { body }: UpstreamResponse, rest: Buffer): Promise<boolean> {
    const delivered = await client.end(rest);
    // Reading on to the end, which is near as a rule, keeps the connection for the next request.
    body.dump({ limit: REST_LIMIT_BYTES, signal: AbortSignal.timeout(REST_TIMEOUT_MS) }).catch(() => undefined);
    return delivered;
  }
}

const shuttingDown = (): OpenAiError =>
  new OpenAiError(503, 'shutting_down', 'this server is shutting down, try again', {
    retryAfterSeconds: 1,
  });

const tooManyRequests = (): OpenAiError =>
  new OpenAiError(429, 'too_many_requests', 'too many requests at once, try again shortly', {
    retryAfterSeconds: 1,
  });
