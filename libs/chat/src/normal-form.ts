import { canonicalJson } from './canonical-json';
import { isRecord, textOfPart, type ChatMessage } from './chat-message';
import { cutLeadingThought } from './thinking';

/** A message in the form that is hashed: role first, then what it says, as plain JSON. */
export type NormalForm = readonly unknown[];

const stripId = (id: unknown): string =>
  typeof id === 'string' ? id.replace(/[^A-Za-z0-9]/g, '') : canonicalJson(id ?? null);

/** Content as runs of text (neighbouring text parts joined by a space, trimmed, empty ones left out) and other parts. */
const contentItems = (content: unknown): unknown[] => {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content.trim() === '' ? [] : [content.trim()];
  if (!Array.isArray(content)) return [{ content: canonicalJson(content) }];
  const items: unknown[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    const text = run.join(' ').trim();
    if (text !== '') items.push(text);
    run = [];
  };
  for (const part of content as readonly unknown[]) {
    const text = textOfPart(part);
    if (text !== null) run.push(text);
    else {
      endRun();
      items.push({ part: canonicalJson(part) });
    }
  }
  endRun();
  return items;
};

/** Arguments compared as values, since clients parse and print them again; what is no JSON is compared as text. */
const argumentsForm = (value: unknown): unknown => {
  if (typeof value !== 'string') return { json: canonicalJson(value ?? {}) };
  const text = value.trim();
  if (text === '') return { json: canonicalJson({}) };
  try {
    return { json: canonicalJson(JSON.parse(text)) };
  } catch {
    return { text };
  }
};

const toolCallForm = (call: unknown): unknown => {
  if (!isRecord(call) || !isRecord(call.function)) return { call: canonicalJson(call) };
  const { name, arguments: args } = call.function;
  return [stripId(call.id), typeof name === 'string' ? name : canonicalJson(name), argumentsForm(args)];
};

const toolCallForms = (calls: unknown): unknown[] => {
  if (calls === null || calls === undefined) return [];
  return Array.isArray(calls) ? calls.map(toolCallForm) : [{ calls: canonicalJson(calls) }];
};

/** An answer: text without its leading thoughts, and tool calls by name and arguments. Reasoning fields are left out. */
export const assistantForm = (message: ChatMessage): NormalForm => {
  const content = typeof message.content === 'string' ? cutLeadingThought(message.content) : message.content;
  return ['assistant', contentItems(content), toolCallForms(message.tool_calls)];
};

/** @param content the user's content, the client's own additions already cut out of it */
export const userForm = (content: unknown): NormalForm => ['user', contentItems(content)];

export const toolForm = (message: ChatMessage): NormalForm => [
  'tool',
  stripId(message.tool_call_id),
  contentItems(message.content),
];

/** A message of a role that this project does not know, or no message at all. */
export const otherForm = (message: unknown): NormalForm => ['other', canonicalJson(message)];
