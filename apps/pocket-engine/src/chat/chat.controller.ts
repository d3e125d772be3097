import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Settings } from '@app/config';
import type { Job } from '../generation/job';
import { Scheduler } from '../generation/scheduler';
import { replyAsJudge } from '../judge/judge-chat';
import { PocketModel } from '../model/pocket-model';
import { EventStream, onClientGone } from '../protocol/event-stream';
import { objectOf } from '../protocol/json';
import { parseChat } from './chat-request';
import { completionBody, endChunks, roleChunk, stepChunk, type ChatContext } from './chat-shapes';

/** `POST /v1/chat/completions`. */
@Controller('v1/chat')
export class ChatController {
  constructor(
    private readonly model: PocketModel,
    private readonly scheduler: Scheduler,
    private readonly settings: Settings,
  ) {}

  @Post('completions')
  async complete(
    @Body() body: unknown,
    @Headers() headers: Record<string, string>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const fields = objectOf(body);
    if (fields.model === this.settings.pocket.judgeModel) {
      await replyAsJudge(fields, reply);
      return;
    }
    const request = parseChat(fields, headers, this.model);
    const job = this.scheduler.submit(request.job);
    onClientGone(reply, () => {
      this.scheduler.abortJob(job, 'Client disconnected.');
    });
    const context = { model: this.model, request, created: Math.floor(Date.now() / 1000) };
    if (request.stream) {
      await this.stream(context, job, reply);
      return;
    }
    const ending = await job.whole();
    await reply.status(200).send(completionBody(context, job.steps, ending));
  }

  private async stream(context: ChatContext, job: Job, reply: FastifyReply): Promise<void> {
    const events = new EventStream(reply);
    const reading = job.read();
    for (let isFirst = true; ; isFirst = false) {
      const next = await reading.next();
      if (isFirst) events.send(roleChunk(context));
      if (next.done === true) {
        for (const { data, name } of endChunks(context, job.steps, next.value)) events.send(data, name);
        events.end();
        return;
      }
      const data = stepChunk(context, next.value);
      if (data !== null) events.send(data);
    }
  }
}
