import { isRecord, type ChatMessage } from './chat-message';

/** Thrown when a message's content is neither text, nor a list of parts, nor null: the client's mistake, a 400. */
export class InvalidContentError extends Error {
  constructor(
    /** The offending field, `messages[2].content` for instance. */
    readonly field: string,
    value: unknown,
  ) {
    const found = isRecord(value) ? 'an object' : `a ${typeof value}`;
    super(`${field} must be a string, a list of parts or null, not ${found}`);
    this.name = 'InvalidContentError';
  }
}

/**
 * Plain text of a message's content: text parts joined by one space, other parts left out, null and undefined as ''.
 *
 * @param field name of the content in error messages
 * @throws InvalidContentError for a number, a boolean, an object, or a text part whose text is none of string and null
 */
export const flattenContent = (content: unknown, field = 'content'): string => {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new InvalidContentError(field, content);
  const texts: string[] = [];
  content.forEach((part: unknown, index) => {
    if (!isRecord(part) || part.type !== 'text') return;
    const text = part.text ?? '';
    if (typeof text !== 'string') throw new InvalidContentError(`${field}[${index}].text`, text);
    texts.push(text);
  });
  return texts.join(' ');
};

/**
 * Messages made ready for a chat template: `developer` becomes `system`, contents that are lists become text.
 * Everything else, null contents and unknown fields included, stays as it is; the input is not changed.
 *
 * @throws InvalidContentError naming the message, as in `messages[2].content`
 */
export const normalizeMessages = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message, index) => {
    const normalized = { ...message };
    if (message.role === 'developer') normalized.role = 'system';
    const { content } = message;
    if (content !== null && content !== undefined)
      normalized.content = flattenContent(content, `messages[${index}].content`);
    return normalized;
  });
