import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import type { UpstreamResponse } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { AnswerRecorder } from '../capture/answer-recorder';
import { withErrorEnvelope } from '../errors/error-envelope';
import { OpenAiError } from '../errors/openai-error';
import { upstreamError } from '../errors/upstream-error';
import { Gate } from '../gate/gate';
import { emptyChunk, whileStill } from '../gate/still-stream';
import { AnswerMeter, readWhole } from '../upstream/read-answer';
import { piecesOf, type AnswerReader, type PassedOn } from './answer-reader';
import type { Exchange } from './exchange';
import { STREAM_HEAD } from './stream-head';
import { headOf, isOdd, isOk, isStream } from './upstream-response';

/** Gives clients what the upstream answers: streams as they come, whole answers, and errors. */
@Injectable()
export class Delivery {
  constructor(
    private readonly gate: Gate,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {}

  /** What notes an answer down while it is given on. */
  recorderOf(response: UpstreamResponse): AnswerRecorder {
    return new AnswerRecorder({ versionNow: () => this.gate.policyVersion, isStreamed: isStream(response) });
  }

  /**
   * Gives the client what the upstream answered, and says how that went.
   * @throws OpenAiError 502 for what is neither an answer nor an error, or has no end
   */
  async passOn(exchange: Exchange, response: UpstreamResponse, reader: AnswerReader): Promise<PassedOn> {
    if (isOdd(response)) throw await this.refuseOdd(response);
    if (!isOk(response)) return this.passError(exchange, response);
    const delivered = isStream(response)
      ? await this.relayStream(exchange, response, reader)
      : await this.relayWhole(exchange, response, reader);
    return { answer: reader.recorder.result(), delivered };
  }

  /** Once the answer's status is certain; what is refused before is counted where it is refused. */
  private count({ request }: Exchange, { status }: UpstreamResponse): void {
    const { chatRequests } = this.telemetry.metrics;
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

  private async relayWhole(exchange: Exchange, response: UpstreamResponse, reader: AnswerReader): Promise<boolean> {
    const { relay, goOn } = reader;
    let body = relay.whole(await readWhole(response));
    for (let next = await goOn?.(); next != null; next = await goOn?.()) body = relay.whole(await readWhole(next));
    this.count(exchange, response);
    return exchange.client.send(response.status, headOf(response), body);
  }

  private async relayStream(exchange: Exchange, response: UpstreamResponse, reader: AnswerReader): Promise<boolean> {
    const { client, turnId } = exchange;
    this.count(exchange, response);
    client.beginStream(response.status, { ...STREAM_HEAD, ...headOf(response) });
    const stop = whileStill(this.gate, () => {
      client.write(emptyChunk(turnId, this.settings.server.servedModelName));
    });
    try {
      return await this.relayPieces(exchange, response, reader);
    } catch (error) {
      reader.recorder.markUnreadable();
      const failure = upstreamError(error, turnId);
      return await client.end(`data: ${JSON.stringify(failure.body)}\n\n`);
    } finally {
      stop();
    }
  }

  private async relayPieces(exchange: Exchange, response: UpstreamResponse, reader: AnswerReader): Promise<boolean> {
    const { client, watchdog } = exchange;
    const { relay } = reader;
    const meter = new AnswerMeter();
    for await (const chunk of piecesOf(response, reader)) {
      watchdog.feed();
      this.gate.noteAnswer();
      meter.add(chunk);
      const events = relay.push(chunk);
      // The answer is whole with `[DONE]`: the client does not wait for the upstream to hang up.
      if (relay.isDone) return client.end(Buffer.concat(events));
      if (events.length === 0 || client.write(Buffer.concat(events))) continue;
      watchdog.waitForClient();
      await client.drained();
      watchdog.feed();
    }
    return client.end(Buffer.concat(relay.flush()));
  }
}
