import { randomBytes } from 'node:crypto';
import type { AnswerDelta } from './answer-parser';
import type { ScriptedAnswer } from './options';
import type { Finish, Step } from './generation';
import type { JsonObject } from './json';
import type { Candidate } from './language-model';
import { SPECIAL, tokenText } from './tokenizer';

const tokenEntry = ({ id, logProb }: Candidate): JsonObject => {
  const token = tokenText(id);
  return { token, bytes: [...Buffer.from(token)], logprob: logProb };
};

/** `choices[].logprobs` of some steps: token texts and log-probs, no ids. */
export const chatLogprobs = (steps: readonly Step[]): JsonObject => ({
  content: steps.map((step) => ({ ...tokenEntry(step), top_logprobs: step.top.map(tokenEntry) })),
});

/** Number of tokens up to the end of the thought; 0 without one. */
export function reasoningTokens(ids: readonly number[]): number {
  if (!ids.includes(SPECIAL.think)) return 0;
  const end = ids.indexOf(SPECIAL.endThink);
  return end < 0 ? ids.length : end + 1;
}

export const usage = (promptTokens: number, ids: readonly number[]): JsonObject => ({
  prompt_tokens: promptTokens,
  total_tokens: promptTokens + ids.length,
  completion_tokens: ids.length,
  prompt_tokens_details: null,
  reasoning_tokens: reasoningTokens(ids),
});

export const matchedStop = (finish: Finish): number | string | null => (finish.type === 'stop' ? finish.matched : null);

/** The finish reason that the chat API says: "stop" becomes "tool_calls" where there were any. */
export function chatFinishReason(finish: Finish, calls: number, answer?: ScriptedAnswer): string {
  if (answer?.finishReason !== undefined) return answer.finishReason;
  return finish.type === 'stop' && calls > 0 ? 'tool_calls' : finish.type;
}

const callId = (index: number, answer?: ScriptedAnswer): string =>
  answer?.toolCalls?.[index]?.id ?? `call_${randomBytes(12).toString('hex')}`;

/** One entry of a delta's `tool_calls`: id and name come with the first one only. */
export function toolDelta(delta: AnswerDelta & { kind: 'tool' }, answer?: ScriptedAnswer): JsonObject {
  const first = delta.name !== undefined;
  return {
    id: first ? callId(delta.index, answer) : null,
    index: delta.index,
    type: 'function',
    function: { name: delta.name ?? null, arguments: delta.arguments },
  };
}

/** SGLang's name of the thoughts, and vLLM's. */
export type ReasoningField = 'reasoning_content' | 'reasoning';

export interface CollectedMessage {
  content: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
}

/** Adds a delta to a message that is not streamed. */
export function collect(message: CollectedMessage, delta: AnswerDelta, answer?: ScriptedAnswer): void {
  if (delta.kind !== 'tool') {
    message[delta.kind] += delta.text;
  } else if (delta.name !== undefined) {
    message.calls[delta.index] = { id: callId(delta.index, answer), name: delta.name, arguments: delta.arguments };
  } else {
    const call = message.calls[delta.index];
    if (call) call.arguments += delta.arguments;
  }
}

export const chatMessage = ({ content, reasoning, calls }: CollectedMessage, field: ReasoningField): JsonObject => ({
  role: 'assistant',
  content,
  [field]: reasoning || null,
  tool_calls: calls.length
    ? calls.map(({ id, name, arguments: args }, index) => ({
        id,
        index,
        type: 'function',
        function: { name, arguments: args },
      }))
    : null,
});
