import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import type { CaptureRoute } from '@app/contracts';
import type { UpstreamResponse } from '@app/engines';
import type { ServedResult } from '../capture/turn-recorder';
import { readWhole } from '../upstream/read-answer';
import { UpstreamService } from '../upstream/upstream.service';
import { NO_ADDITIONS, type Additions } from './client-view';
import { Delivery } from './delivery';
import type { Exchange } from './exchange';
import { StreamRelay } from './relay';
import { additionsFor, upstreamBody } from './upstream-request';
import { isOk } from './upstream-response';

/** Statuses by which servers refuse fields that they do not know, or cannot combine with the client's. */
const MAY_BE_OUR_FAULT = new Set([400, 404, 415, 422, 500, 501]);

/** Serves a chat through the upstream's own chat API, with a wish for log-probs and token ids added. */
@Injectable()
export class ByChat {
  constructor(
    private readonly upstream: UpstreamService,
    private readonly delivery: Delivery,
    private readonly settings: Settings,
  ) {}

  /** @throws OpenAiError, or what the HTTP client throws, before the first byte */
  async serve(exchange: Exchange, route: CaptureRoute, onFirstByte: () => void): Promise<ServedResult> {
    const { response, additions, tried } = await this.ask(exchange, route);
    onFirstByte();
    const recorder = this.delivery.recorderOf(response);
    const relay = new StreamRelay({ additions, servedModel: this.settings.server.servedModelName, recorder });
    const result = await this.delivery.passOn(exchange, response, { relay, recorder });
    if (result.answer === null) return { ...result, route: tried };
    const { responseIds, failed } = result.answer;
    if (additions !== NO_ADDITIONS && responseIds === null && !failed) exchange.engine.noteWithoutIds();
    return { ...result, route: tried, logProbsTempered: exchange.engine.logProbsTempered };
  }

  /** Asks with our additions; a server that fails on them is asked once more without: capture must not fail a chat. */
  private async ask(
    exchange: Exchange,
    route: CaptureRoute,
  ): Promise<{ response: UpstreamResponse; additions: Additions; tried: CaptureRoute }> {
    const { engine } = exchange;
    const additions = engine.refusesAdditions ? NO_ADDITIONS : additionsFor(exchange.request, route);
    const response = await this.post(exchange, additions);
    if (additions === NO_ADDITIONS) return { response, additions, tried: 'text' };
    if (isOk(response)) engine.noteAccepted();
    if (!MAY_BE_OUR_FAULT.has(response.status)) return { response, additions, tried: route };
    const refusal = (await readWhole(response)).toString('utf8');
    const plain = await this.post(exchange, NO_ADDITIONS);
    // Where this fails as well the request itself is at fault, and the second answer speaks of the client's fields only.
    if (isOk(plain)) engine.noteRefused(refusal);
    return { response: plain, additions: NO_ADDITIONS, tried: isOk(plain) ? 'text' : route };
  }

  private post(exchange: Exchange, additions: Additions): Promise<UpstreamResponse> {
    const { server } = this.settings;
    return exchange.engine.client.request('POST', '/chat/completions', {
      body: upstreamBody(exchange.request, { additions, model: server.policyModel, defaults: server }),
      headers: { ...exchange.forwarded, ...this.upstream.headersOf(exchange.session) },
      signal: exchange.abort.signal,
    });
  }
}
