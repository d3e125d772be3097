import { continueChain, hashExchange, hashForm, hashResponse, startChain } from './chain';
import type { ChatMessage } from './chat-message';
import { isFirstAfterSummary } from './compaction';
import { mainLine, type MainLineEntry } from './main-line';

/** Where a request stands in a conversation: which answer it continues, and what followed that answer. */
export interface Conversation {
  /** Hash of everything up to and including the last answer; null in a conversation without one. */
  readonly parentChain: string | null;
  /** Hash of that answer and what it answered; finds it where the chain is broken. null if it answers nothing. */
  readonly parentExchange: string | null;
  /** Hash of that answer alone, only where a compaction has put its summary in the place of all that was before it. */
  readonly parentResponse: string | null;
  /** Hash of the whole prompt; `hashAnswer` takes it on. */
  readonly promptChain: string;
  /** Hash of the prompt's last message, which will be answered; `hashAnswer` takes it on. null for an empty prompt. */
  readonly promptEnd: string | null;
  /** User and tool messages after the last answer, in order; the client's own additions are not in it. Empty without a parent. */
  readonly nextState: ChatMessage[];
  /** 'user' if a user speaks in it, 'tool' for tool results alone, null if it is empty. */
  readonly nextStateRole: 'user' | 'tool' | null;
  /** The next state is nothing but OpenClaw's rewritten retry: not feedback. */
  readonly isRetry: boolean;
}

const roleOf = (nextState: readonly MainLineEntry[]): 'user' | 'tool' | null => {
  if (nextState.length === 0) return null;
  return nextState.some((entry) => entry.role === 'user') ? 'user' : 'tool';
};

const nextStateOf = (followers: readonly MainLineEntry[]): MainLineEntry[] => {
  const spoken = followers.filter((entry) => entry.role === 'user' || entry.role === 'tool');
  // A retry beside tool results or a user's words adds nothing to them.
  const news = spoken.filter((entry) => !entry.isRetry);
  return news.length > 0 ? news : spoken;
};

/**
 * How many answers a conversation holds: the step that its next answer is, from 0. System text, carriers and side exchanges do
 * not count. Linear in the size of the messages.
 *
 * @param heartbeatPrompts how heartbeats begin that somebody has worded anew
 */
export const countAnswers = (messages: readonly ChatMessage[], heartbeatPrompts: readonly string[] = []): number =>
  mainLine(messages, heartbeatPrompts).filter((entry) => entry.role === 'assistant').length;

/**
 * Reads a request's messages as a conversation. Never throws: what has an odd shape is hashed as the JSON it is.
 * Linear in the size of the messages.
 *
 * @param scope whose identifiers these are; conversations of two scopes share no hash
 * @param heartbeatPrompts how heartbeats begin that somebody has worded anew
 */
export const describeConversation = (
  messages: readonly ChatMessage[],
  scope: string,
  heartbeatPrompts: readonly string[] = [],
): Conversation => {
  const entries = mainLine(messages, heartbeatPrompts);
  const parentIndex = entries.findLastIndex((entry) => entry.role === 'assistant');
  let promptChain = startChain(scope);
  let parentChain: string | null = null;
  // Hashes of the last message so far, of the last answer, and of what it answered. A prompt that only asks to go on is none.
  let end: string | null = null;
  let answer: string | null = null;
  let answered: string | null = null;
  for (const [index, { form }] of entries.entries()) {
    const message: string | null = form === null ? null : hashForm(form);
    if (message !== null) promptChain = continueChain(promptChain, message);
    if (index === parentIndex) [parentChain, answer, answered] = [promptChain, message, end];
    end = message ?? end;
  }
  const parent = entries[parentIndex];
  const isCompacted = parent !== undefined && isFirstAfterSummary(entries, parentIndex);
  const nextState = parent ? nextStateOf(entries.slice(parentIndex + 1)) : [];
  return {
    parentChain,
    parentExchange: answer !== null && answered !== null ? hashExchange(answered, answer) : null,
    parentResponse: answer !== null && isCompacted ? hashResponse(answer) : null,
    promptChain,
    promptEnd: end,
    nextState: nextState.map((entry) => entry.message),
    nextStateRole: roleOf(nextState),
    isRetry: nextState.length > 0 && nextState.every((entry) => entry.isRetry),
  };
};
