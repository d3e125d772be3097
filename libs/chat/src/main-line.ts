import { isRecord, type ChatMessage } from './chat-message';
import { isInternalContext } from './internal-context';
import { assistantForm, otherForm, toolForm, userForm, type NormalForm } from './normal-form';
import { unwrapRetry } from './retry';
import { firstUserMessage } from './runtime-line';
import { sidePromptOfText, type SidePrompt } from './side-prompts';
import { cutAdditions, readText } from './user-text';

/** One message of the conversation itself. */
export interface MainLineEntry {
  readonly role: 'user' | 'assistant' | 'tool' | 'other';
  /** The message without the client's own additions. */
  readonly message: ChatMessage;
  /** What is hashed; null for a prompt that only asks to go on. */
  readonly form: NormalForm | null;
  /** OpenClaw's own prompt for a call that failed before. */
  readonly isRetry: boolean;
}

/** Side prompts that run inside the main session, so that they and their answers may stand in its history, or may not. */
const INSIDE_MAIN: ReadonlySet<SidePrompt | null> = new Set(['heartbeat', 'wake', 'memory_flush', 'internal_event']);

const userEntry = (message: ChatMessage, content: unknown): MainLineEntry => {
  const { isRetry, original } = unwrapRetry(readText(content));
  const spoken = isRetry ? original : content;
  return {
    role: 'user',
    message: { ...message, content },
    form: spoken === null && isRetry ? null : userForm(spoken),
    isRetry,
  };
};

const answerEntry = (message: ChatMessage): MainLineEntry => {
  const entry = { message, isRetry: false };
  if (!isRecord(message)) return { ...entry, role: 'other', form: otherForm(message) };
  if (message.role === 'assistant') return { ...entry, role: 'assistant', form: assistantForm(message) };
  if (message.role === 'tool') return { ...entry, role: 'tool', form: toolForm(message) };
  return { ...entry, role: 'other', form: otherForm(message) };
};

/**
 * The conversation itself: without system text, carriers, and the side exchanges that ran inside it (the prompt and
 * everything that answers it, up to the next thing the user says).
 *
 * @param heartbeatPrompts how heartbeats begin that somebody has worded anew
 */
export const mainLine = (
  messages: readonly ChatMessage[],
  heartbeatPrompts: readonly string[] = [],
): MainLineEntry[] => {
  const first = firstUserMessage(messages);
  const entries: MainLineEntry[] = [];
  let inSideExchange = false;
  for (const message of messages) {
    const role = isRecord(message) ? message.role : null;
    if (role === 'system' || role === 'developer' || isInternalContext(message)) continue;
    if (role !== 'user') {
      if (!inSideExchange) entries.push(answerEntry(message));
      continue;
    }
    const content = cutAdditions(message.content, message === first);
    const { original } = unwrapRetry(readText(content));
    if (original !== null) inSideExchange = INSIDE_MAIN.has(sidePromptOfText(original, heartbeatPrompts));
    if (!inSideExchange) entries.push(userEntry(message, content));
  }
  return entries;
};
