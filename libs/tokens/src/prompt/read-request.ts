import { type ChatMessage, isRecord } from '@app/chat';
import type { PromptSource } from './chat-template';

type Json = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** As engines do: no effort, no thoughts. */
const kwargsOf = ({ chat_template_kwargs: kwargs, reasoning_effort: effort }: Json): Json => ({
  ...(effort === 'none' ? { thinking: false, enable_thinking: false } : {}),
  ...(isRecord(kwargs) ? kwargs : {}),
});

/** What a chat request's prompt is rendered from, and every field that is no part of it. */
export const readRequest = (body: Json): { source: PromptSource; fields: Json } => {
  const { messages, tools, ...fields } = body;
  return {
    source: {
      messages: listOf(messages) as ChatMessage[],
      tools: body.tool_choice === 'none' ? [] : listOf(tools),
      kwargs: kwargsOf(body),
    },
    fields,
  };
};
