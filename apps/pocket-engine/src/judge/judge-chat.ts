import type { FastifyReply } from 'fastify';
import { readRid } from '../generation/job-request';
import { EventStream } from '../protocol/event-stream';
import type { JsonObject } from '../protocol/json';
import { judgeAnswer } from './judge-answer';

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Answers a chat for the judge: rules behind the chat API, not a model. It counts no tokens, since it has none. */
export const replyAsJudge = async (body: JsonObject, reply: FastifyReply): Promise<void> => {
  const content = judgeAnswer(body);
  const head = (object: string): JsonObject => ({
    id: readRid(body),
    object,
    created: Math.floor(Date.now() / 1000),
    model: body.model,
  });
  const end = { logprobs: null, finish_reason: 'stop', matched_stop: null };
  if (body.stream === true) {
    const events = new EventStream(reply);
    const chunk = head('chat.completion.chunk');
    events.send({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
    events.send({ ...chunk, choices: [{ index: 0, delta: {}, ...end }] });
    events.send({ ...chunk, choices: [], usage: NO_TOKENS });
    events.end();
    return;
  }
  const message = { role: 'assistant', content, reasoning_content: null, tool_calls: null };
  await reply
    .status(200)
    .send({ ...head('chat.completion'), choices: [{ index: 0, message, ...end }], usage: NO_TOKENS });
};
