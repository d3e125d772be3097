import { flattenContent, isRecord } from '@app/chat';
import { objectOf, type JsonObject } from '../protocol/json';

/** What a judge's prompt shows: the only things that the rules look at. */
export interface JudgeQuestion {
  readonly request: string;
  /** What the user said next; null where only tools answered. */
  readonly reply: string | null;
  readonly toolResults: readonly string[];
  /** Whether a hint is asked for, and not a score. */
  readonly wantsHint: boolean;
  readonly asJson: boolean;
}

const textOf = (message: unknown): string => {
  const { content } = objectOf(message);
  return content === null || content === undefined ? '' : flattenContent(content, 'messages');
};

const sections = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}(?: [^>\\n]*)?>\\n([\\s\\S]*?)\\n</${tag}>`, 'g'))].map(
    ([, inner = '']) => inner,
  );

/** Reads a prompt of our judges; of one that is none of theirs it sees an empty next state. */
export const readJudgeQuestion = (body: JsonObject): JudgeQuestion => {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const text = messages.map(textOf).join('\n');
  const state = sections(text, 'next_state').at(-1) ?? '';
  const toolResults = sections(state, 'tool_result');
  const said = sections(state, 'user_message');
  const isBare = toolResults.length === 0 && said.length === 0;
  const format = objectOf(body.response_format);
  return {
    request: sections(text, 'user_request').at(-1) ?? '',
    reply: isBare ? state : said.length === 0 ? null : said.join('\n'),
    toolResults,
    wantsHint: objectOf(format.json_schema).name === 'hint' || text.includes('[HINT_START]'),
    asJson: format.type === 'json_schema',
  };
};
