import type { ChatMessage } from '../chat-message';
import { isInternalContext } from '../internal-context';
import { trimSpace } from './trim-space';

const MARK = "[user's hint / instruction]";

const withHint = (content: unknown, hint: string): unknown => {
  const block = `\n\n${MARK}\n${trimSpace(hint)}`;
  if (typeof content === 'string') return trimSpace(content + block);
  if (!Array.isArray(content)) return trimSpace(block);
  return [...(content as readonly unknown[]), { type: 'text', text: block }];
};

/**
 * The messages with a hint behind the last thing that the user said: what a client added in the user's name (internal-context
 * carriers) is passed over, images stay. Where no user speaks the hint becomes a user's message of its own, at the end: it is
 * never put into anybody else's mouth. The input is not changed.
 */
export const appendHint = (messages: readonly ChatMessage[], hint: string): ChatMessage[] => {
  const at = messages.findLastIndex((message) => message.role === 'user' && !isInternalContext(message));
  const message = messages[at];
  if (message === undefined) return [...messages, { role: 'user', content: `${MARK}\n${hint}` }];
  return messages.with(at, { ...message, content: withHint(message.content, hint) });
};
