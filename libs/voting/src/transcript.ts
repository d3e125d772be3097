import { type ChatMessage, isRecord } from '@app/chat';
import { cutTogether, quote } from './quoting';

/** Parts of a section beyond which the middle ones are left out. */
const MOST_PARTS = 64;

interface Part {
  /** Tag with its attributes, without brackets. Null: the text stands alone. */
  readonly tag: string | null;
  readonly text: string;
}

const asText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
};

/** All of a message's content in words; a part that is no text is named by its type. */
export const readContent = (content: unknown): string => {
  if (!Array.isArray(content)) return asText(content);
  return content
    .map((part: unknown) => {
      if (!isRecord(part)) return asText(part);
      return typeof part.text === 'string' ? part.text : `[${typeof part.type === 'string' ? part.type : 'part'}]`;
    })
    .join('\n');
};

/** Names come from models and clients: only what a name is made of goes into an attribute. */
const attribute = (key: string, value: unknown): string => {
  const name = asText(value)
    .replace(/[^\w.:-]/g, '')
    .slice(0, 64);
  return name === '' ? '' : ` ${key}="${name}"`;
};

const writeParts = (parts: readonly Part[], limit: number): string => {
  const middle = parts.length - MOST_PARTS;
  const kept = middle <= 0 ? parts : [...parts.slice(0, MOST_PARTS / 2), ...parts.slice(-MOST_PARTS / 2)];
  const texts = cutTogether(
    kept.map((part) => part.text.trim()),
    limit,
  ).map((text) => (text === '' ? '(no text)' : quote(text)));
  const written = kept.map(({ tag }, i) => {
    const text = texts[i] ?? '';
    return tag === null ? text : `<${tag}>\n${text}\n</${tag.split(' ', 1)[0] ?? ''}>`;
  });
  if (middle > 0) written.splice(MOST_PARTS / 2, 0, `[… ${middle} parts left out …]`);
  return written.join('\n');
};

const callParts = (toolCalls: unknown): Part[] => {
  if (!Array.isArray(toolCalls)) return [];
  return toolCalls.filter(isRecord).map((call) => {
    const { name, arguments: args } = isRecord(call.function) ? call.function : call;
    return { tag: `tool_call${attribute('name', name)}`, text: asText(args) };
  });
};

/** The assistant's answer: its text, then its tool calls. */
export const writeResponse = (response: ChatMessage, limit: number): string => {
  const calls = callParts(response.tool_calls);
  const text = readContent(response.content);
  const spoken: Part[] = text.trim() === '' && calls.length > 0 ? [] : [{ tag: null, text }];
  return writeParts([...spoken, ...calls], limit);
};

/** Everything that came after an answer, in order: all tool results and what the user said. */
export const writeNextState = (nextState: readonly ChatMessage[], limit: number): string => {
  const isPlain = nextState.length === 1 && nextState[0]?.role === 'user';
  const parts = nextState.map((message): Part => {
    const tag = message.role === 'tool' ? `tool_result${attribute('name', message.name)}` : 'user_message';
    return { tag: isPlain ? null : tag, text: readContent(message.content) };
  });
  return writeParts(parts.length === 0 ? [{ tag: null, text: '' }] : parts, limit);
};

/** One text of the conversation. */
export const writeText = (content: unknown, limit: number): string =>
  writeParts([{ tag: null, text: readContent(content) }], limit);
