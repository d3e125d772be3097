import { Body, Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Ending } from '../generation/job';
import { Scheduler } from '../generation/scheduler';
import { PocketModel } from '../model/pocket-model';
import { EventStream, onClientGone } from '../protocol/event-stream';
import { objectOf } from '../protocol/json';
import { parseGenerate } from './generate-request';
import { generateBody, inputLogProbs } from './generate-shapes';

/** `POST /generate`: generation, and with `max_new_tokens: 0` the log-probs of given ids. */
@Controller()
export class GenerateController {
  constructor(
    private readonly model: PocketModel,
    private readonly scheduler: Scheduler,
  ) {}

  @Post('generate')
  async generate(@Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    const request = parseGenerate(objectOf(body), this.model);
    const begin = performance.now();
    await this.scheduler.whileOpen();
    const input = request.logProbs ? inputLogProbs(this.model, request) : {};
    const job = this.scheduler.submit(request.job);
    onClientGone(reply, () => {
      this.scheduler.abortJob(job, 'Client disconnected.');
    });
    const result = (text: string, ending: Ending | null): unknown =>
      generateBody(this.model, {
        ...{ request, text, input, steps: job.steps },
        finish: ending?.finish ?? null,
        version: ending?.version ?? this.scheduler.weights.version,
        seconds: (performance.now() - begin) / 1000,
      });
    const events = request.stream ? new EventStream(reply) : null;
    const reading = job.read();
    let text = '';
    for (;;) {
      const next = await reading.next();
      if (next.done === true) {
        const whole = result(text + next.value.tail, next.value);
        if (events === null) await reply.status(200).send(whole);
        events?.send(whole);
        events?.end();
        return;
      }
      text += next.value.text;
      // Each event holds all so far, as without `--incremental-streaming-output`.
      events?.send(result(text, null));
    }
  }
}
