import { isRecord, type ChatMessage } from './chat-message';
import { isInternalContext } from './internal-context';
import { firstUserMessage, parseRuntimeLine } from './runtime-line';
import { unwrapRetry } from './retry';
import { cutAdditions, readText, splitStamp } from './user-text';

/** Prompts that a client sends beside the conversation; each is a reason why a turn is not of the main line. */
export const SIDE_PROMPTS = [
  'heartbeat',
  'wake',
  'memory_flush',
  'compaction',
  'slug',
  'title',
  'cron',
  'subagent',
  'internal_event',
] as const;

export type SidePrompt = (typeof SIDE_PROMPTS)[number];

/** How the user texts of OpenClaw's side prompts begin; the first that fits decides. */
const USER_MARKERS: readonly (readonly [string, SidePrompt])[] = [
  ['Follow the heartbeat monitor scratch context when provided.', 'heartbeat'],
  ['Read HEARTBEAT.md if it exists', 'heartbeat'],
  ['[OpenClaw heartbeat poll]', 'heartbeat'],
  ['Run the following periodic tasks (only those due based on their intervals):', 'heartbeat'],
  ['An async command you ran earlier has completed. The command completion details are:', 'wake'],
  ['An async command you ran earlier completed without captured stdout/stderr.', 'wake'],
  ['An async command completion event was triggered, but ', 'wake'],
  ['A scheduled reminder has been triggered. The reminder content is:', 'wake'],
  ['A scheduled cron event was triggered, but no event content was found.', 'wake'],
  // What stands for such a prompt in the history afterwards.
  ['[OpenClaw exec completion]', 'wake'],
  ['[OpenClaw cron wake]', 'wake'],
  ['[OpenClaw session event]', 'wake'],
  ['Pre-compaction memory flush.', 'memory_flush'],
  ['Based on this conversation, generate a short 1-2 word filename slug', 'slug'],
  ['[cron:', 'cron'],
  ['[Subagent Context] You are running as a subagent', 'subagent'],
  ['[Subagent Context]', 'wake'],
  ['Continue the OpenClaw runtime event.', 'internal_event'],
  ['[Inter-session message]', 'internal_event'],
];

/** The tool that OpenClaw offers in heartbeats alone, and what it adds to their prompt then, whatever the prompt. */
const HEARTBEAT_TOOL = 'heartbeat_respond';
const HEARTBEAT_TOOL_WORDS =
  /(^|\s)Use heartbeat_respond to report the wake outcome\. Set notify=false when nothing needs the user's attention\./;

const SYSTEM_MARKERS: readonly (readonly [RegExp, SidePrompt])[] = [
  [/^\s*You are a context summarization assistant\./, 'compaction'],
  [/^\s*Generate a concise session title \(3-6 words/, 'title'],
  [/You are labeling the supplied message, not participating/, 'title'],
  [/^Pre-compaction memory flush turn\./m, 'memory_flush'],
  [/^## Subagent Context\s*$/m, 'subagent'],
];

const SESSION_MARKERS: readonly (readonly [string, SidePrompt])[] = [
  [':subagent:', 'subagent'],
  [':cron:', 'cron'],
];

/**
 * The side prompt that a user text is, by how it begins; a marker quoted further on says nothing. Only OpenClaw's own words about
 * its heartbeat tool may stand anywhere: they come behind whatever the prompt is.
 *
 * @param heartbeatPrompts how heartbeats begin that somebody has worded anew
 */
export const sidePromptOfText = (text: string, heartbeatPrompts: readonly string[]): SidePrompt | null => {
  const { spoken } = splitStamp(text);
  const isHeartbeat =
    HEARTBEAT_TOOL_WORDS.test(spoken) || heartbeatPrompts.some((start) => spoken.startsWith(start.trim()));
  return isHeartbeat ? 'heartbeat' : (USER_MARKERS.find(([start]) => spoken.startsWith(start))?.[1] ?? null);
};

const offersHeartbeatTool = (tools: readonly unknown[]): boolean =>
  tools.some((tool) => isRecord(tool) && isRecord(tool.function) && tool.function.name === HEARTBEAT_TOOL);

const sidePromptOfUsers = (
  messages: readonly ChatMessage[],
  heartbeatPrompts: readonly string[],
): SidePrompt | null => {
  const first = firstUserMessage(messages);
  const last = messages.findLast((message) => {
    if (!isRecord(message) || message.role !== 'user' || isInternalContext(message)) return false;
    return originalText(message, message === first) !== null;
  });
  return last ? sidePromptOfText(originalText(last, last === first) ?? '', heartbeatPrompts) : null;
};

const originalText = (message: ChatMessage, hasRuntimeLine: boolean): string | null =>
  unwrapRetry(readText(cutAdditions(message.content, hasRuntimeLine))).original;

const sidePromptOfSystem = (messages: readonly ChatMessage[]): SidePrompt | null => {
  for (const message of messages) {
    if (!isRecord(message) || (message.role !== 'system' && message.role !== 'developer')) continue;
    const text = readText(message.content);
    const marker = SYSTEM_MARKERS.find(([pattern]) => pattern.test(text));
    if (marker) return marker[1];
  }
  return null;
};

/** What a request shows of its kind. */
export interface Prompted {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
}

/**
 * The side prompt that a request of OpenClaw's is, or null for one of the main line. It looks at the last thing that
 * was said in the user's name, so a heartbeat in the middle of its tool calls is still one; then at the tools, at the system
 * text and at the session of the `Runtime:` line.
 *
 * @param heartbeatPrompts how heartbeats begin that somebody has worded anew
 */
export const findSidePrompt = (
  { messages, tools = [] }: Prompted,
  heartbeatPrompts: readonly string[] = [],
): SidePrompt | null => {
  const session = parseRuntimeLine(messages)?.session ?? '';
  return (
    sidePromptOfUsers(messages, heartbeatPrompts) ??
    (offersHeartbeatTool(tools) ? 'heartbeat' : null) ??
    sidePromptOfSystem(messages) ??
    SESSION_MARKERS.find(([part]) => session.includes(part))?.[1] ??
    null
  );
};
