import { flattenContent, type ChatMessage } from '@app/chat';
import type { PromptSource } from './chat-template';

/** How a conversation is cut into parts that are rendered by themselves. */
export interface Grouping {
  /** Whether the first user's words stand apart from system text and tools, which many conversations share. */
  readonly isFirstApart: boolean;
  /** Whether each step of a tool loop stands apart: an answer behind tool results, and what its own calls brought. */
  readonly hasSteps: boolean;
}

/** The finest first. */
export const GROUPINGS: readonly Grouping[] = [
  { isFirstApart: true, hasSteps: true },
  { isFirstApart: false, hasSteps: true },
  { isFirstApart: false, hasSteps: false },
];

/** One part of a prompt: a few messages, and what stands around them. Sources are asked for it by its JSON. */
export interface PartRequest extends PromptSource {
  /** Whether the prompt begins with it. */
  readonly isHead: boolean;
  /** Who speaks behind it; null: the answer is to follow. An assistant only where no user speaks in any later part. */
  readonly next: 'user' | 'assistant' | null;
}

const isQuery = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && !flattenContent(content).startsWith('<tool_response>');

const groupsOf = (messages: readonly ChatMessage[], { isFirstApart, hasSteps }: Grouping): ChatMessage[][] => {
  const groups: ChatMessage[][] = [[]];
  let queries = 0;
  let before = '';
  for (const message of messages) {
    const isAsked = isQuery(message);
    if (isAsked) queries += 1;
    const isNewQuery = isAsked && (queries > 1 || isFirstApart);
    const isStep = hasSteps && queries > 0 && message.role === 'assistant' && before === 'tool';
    if (isNewQuery || isStep) groups.push([]);
    groups.at(-1)?.push(message);
    before = message.role;
  }
  return groups;
};

/** The whole prompt as one part. */
export const wholeOf = ({ messages, tools, kwargs }: PromptSource): PartRequest => ({
  isHead: true,
  next: null,
  messages,
  tools,
  kwargs,
});

/**
 * The parts of a prompt, in order: those of the conversation so far come again in every prompt that continues it.
 *
 * @throws InvalidContentError
 */
export const partsOf = (source: PromptSource, grouping: Grouping | null): PartRequest[] => {
  const groups = grouping === null ? [] : groupsOf(source.messages, grouping);
  if (groups.length < 2) return [wholeOf(source)];
  const lastQuery = groups.findLastIndex(([first], i) => i > 0 && first?.role === 'user');
  return groups.map((messages, i) => ({
    isHead: i === 0,
    next: i === groups.length - 1 ? null : i < lastQuery ? 'user' : 'assistant',
    messages,
    tools: i === 0 ? source.tools : [],
    kwargs: source.kwargs,
  }));
};
