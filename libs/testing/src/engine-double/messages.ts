import { isRecord } from '@app/chat';
import { asArray, asObject, asText, type JsonObject } from './json';

/** The text of a message's content, a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asArray(content)
    .map((part) => asText(asObject(part).text))
    .join('');
}

const isCarrier = (text: string): boolean =>
  /^\s*<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\s*$/.test(text);

/** The last user or tool message that is not a carrier of the client's internal context. */
export function lastMessage(messages: readonly unknown[]): { role: string; text: string } | undefined {
  return messages
    .map((message) => ({ role: asText(asObject(message).role), text: contentText(asObject(message).content) }))
    .findLast(({ role, text }) => (role === 'user' || role === 'tool') && !isCarrier(text));
}

/** What a person wrote, without the date before it and the runtime line behind it that OpenClaw adds. */
export const withoutDecoration = (text: string): string =>
  text
    .replace(/^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]]*\] /, '')
    .replace(/\n\nRuntime: [^\n]*$/, '')
    .trim();

/** A value as Python's `json.dumps` prints it: with a space behind each comma and colon. */
function printJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printJson).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${printJson(member)}`);
  return `{${members.join(', ')}}`;
}

/** Arguments as a template prints them: as a value, where their text is an object. */
function printArguments(args: unknown): string {
  if (typeof args !== 'string') return printJson(args ?? {});
  try {
    const value: unknown = JSON.parse(args);
    return isRecord(value) ? printJson(value) : args;
  } catch {
    return args;
  }
}

const toolText = (call: JsonObject): string => {
  const { name, arguments: args } = asObject(call.function);
  const written = printArguments(args);
  return `\n<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${written}}\n</tool_call>`;
};

const turn = (role: string, text: string): string => `<|im_start|>${role}\n${text}<|im_end|>\n`;

function renderMessage(message: JsonObject): string {
  const role = asText(message.role);
  const text = contentText(message.content);
  if (role === 'tool') return turn('user', `<tool_response>\n${text}\n</tool_response>`);
  if (role === 'developer') return turn('system', text);
  if (role !== 'assistant') return turn(role, text);
  const reasoning = asText(message.reasoning_content);
  const thought = reasoning ? `<think>\n${reasoning}\n</think>\n\n` : '';
  return turn('assistant', thought + text + asArray(message.tool_calls).map(asObject).map(toolText).join(''));
}

function renderTools(tools: readonly unknown[]): string {
  const list = tools.map(printJson).join('\n');
  return `# Tools\n\n<tools>\n${list}\n</tools>\n\nAnswer with <tool_call> blocks to call them.`;
}

export interface RenderOptions {
  tools?: readonly unknown[];
  /** Continues a last assistant message; without it SGLang makes a user message of it. */
  continueFinal?: boolean;
  /** False writes an empty thought, as Qwen's template does. */
  thinking?: boolean;
}

/** The prompt text of a chat: ChatML in the manner of Qwen, ready for the assistant's answer. */
export function renderChat(messages: readonly JsonObject[], options: RenderOptions = {}): string {
  const tools = options.tools?.length ? turn('system', renderTools(options.tools)) : '';
  const last = messages.at(-1);
  const open = asText(last?.role) === 'assistant';
  const shown = open && !options.continueFinal ? [...messages.slice(0, -1), { ...last, role: 'user' }] : messages;
  const text = tools + shown.map(renderMessage).join('');
  if (open && options.continueFinal) return text.slice(0, -'<|im_end|>\n'.length);
  return `${text}<|im_start|>assistant\n${options.thinking === false ? '<think>\n\n</think>\n\n' : ''}`;
}
