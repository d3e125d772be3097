import { continueChain, hashForm, startChain } from './chain';
import type { ChatMessage } from './chat-message';
import { mainLine } from './main-line';
import { firstUserMessage } from './runtime-line';

/**
 * Hash of what a conversation begins with: the same for all its requests, until a client cuts its history. Reads the first
 * message that a user has written and no other. null where there is none.
 *
 * @param scope whose conversation it is; those of two scopes share no hash
 */
export const hashConversationRoot = (messages: readonly ChatMessage[], scope: string): string | null => {
  const first = firstUserMessage(messages);
  const form = first === undefined ? null : (mainLine([first])[0]?.form ?? null);
  return form === null ? null : continueChain(startChain(scope), hashForm(form));
};
