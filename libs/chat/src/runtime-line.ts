import { isRecord, textOfPart, type ChatMessage } from './chat-message';
import { isInternalContext } from './internal-context';

/** What OpenClaw's `Runtime:` line says about the session. Text of the request, so never above a header. */
export interface RuntimeLine {
  /** `sessionId=` of the line. */
  readonly sessionId: string | null;
  /** `session=` of the line, OpenClaw's session key: `agent:main:subagent:…`. */
  readonly session: string | null;
}

const LABEL = 'Runtime: ';
const FIELDS = /^\w+=[^\n]* \| \w+=/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the last `Runtime:` line of a text stands, with the blank line before it. It may also be a whole text part. */
const findSpan = (text: string): Span | null => {
  const separated = text.lastIndexOf(`\n\n${LABEL}`);
  const start = separated === -1 && text.startsWith(LABEL) ? 0 : separated;
  if (start === -1) return null;
  const fields = text.indexOf(LABEL, start) + LABEL.length;
  const lineEnd = text.indexOf('\n', fields);
  const end = lineEnd === -1 ? text.length : lineEnd;
  return FIELDS.test(text.slice(fields, end)) ? { start, end } : null;
};

const lineOf = (text: string): string | null => {
  const span = findSpan(text);
  return span && text.slice(span.start, span.end).trim().slice(LABEL.length);
};

const textsOf = (message: ChatMessage): string[] => {
  if (typeof message.content === 'string') return [message.content];
  if (!Array.isArray(message.content)) return [];
  return message.content.map(textOfPart).filter((text) => text !== null);
};

/** The text without its `Runtime:` line. */
export const cutRuntimeLine = (text: string): string => {
  const span = findSpan(text);
  return span ? text.slice(0, span.start) + text.slice(span.end) : text;
};

/** The user message that may carry the `Runtime:` line: the first one that is no internal-context carrier. */
export const firstUserMessage = (messages: readonly ChatMessage[]): ChatMessage | undefined =>
  messages.find((message) => isRecord(message) && message.role === 'user' && !isInternalContext(message));

/**
 * OpenClaw's `Runtime:` line, which ends the first user message of every request of the stock client;
 * null where there is none. A user can write such a line too: only the last one counts, and it proves nothing.
 */
export const parseRuntimeLine = (messages: readonly ChatMessage[]): RuntimeLine | null => {
  const message = firstUserMessage(messages);
  const line =
    message &&
    textsOf(message)
      .map(lineOf)
      .findLast((found) => found !== null);
  if (!line) return null;
  const fields = new Map(line.split(' | ').map((field) => splitField(field)));
  return { sessionId: fields.get('sessionId') ?? null, session: fields.get('session') ?? null };
};

const splitField = (field: string): [string, string] => {
  const equals = field.indexOf('=');
  return [field.slice(0, Math.max(0, equals)), field.slice(equals + 1).trim()];
};
