import { Template } from '@huggingface/jinja';
import { isRecord, normalizeMessages, type ChatMessage } from '@app/chat';
import type { ModelFolder } from '../model/model-folder';

/** What a prompt is rendered from. */
export interface PromptSource {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly unknown[];
  /** `chat_template_kwargs` of the request. */
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** Templates print arguments as JSON of their own: they want the value, not its text. */
const withArguments = (call: unknown): unknown => {
  if (!isRecord(call) || !isRecord(call.function) || typeof call.function.arguments !== 'string') return call;
  try {
    const value: unknown = JSON.parse(call.function.arguments);
    return isRecord(value) ? { ...call, function: { ...call.function, arguments: value } } : call;
  } catch {
    return call;
  }
};

/** The messages as templates expect them: text for lists of parts and for null, `system` for `developer`. */
export const readyForTemplate = (messages: readonly ChatMessage[]): ChatMessage[] =>
  normalizeMessages(messages).map((message) => ({
    ...message,
    content: message.content ?? '',
    ...(Array.isArray(message.tool_calls) ? { tool_calls: message.tool_calls.map(withArguments) } : {}),
  }));

const tokenText = (token: unknown): string | undefined => {
  if (typeof token === 'string') return token;
  return isRecord(token) && typeof token.content === 'string' ? token.content : undefined;
};

/**
 * What templates ask for and a request may leave out. The template engine throws and catches an error for a name that it does
 * not know, which costs more than the rest of a short prompt.
 */
const LEFT_OUT = { tools: undefined, documents: undefined, enable_thinking: undefined, thinking: undefined };

/** A model's chat template. */
export class ChatTemplate {
  private readonly template: Template;
  private readonly tokens: Readonly<Record<string, string | undefined>>;

  /** @throws an error of the template engine for a template that it cannot read */
  constructor(
    readonly source: string,
    config: ModelFolder['config'],
  ) {
    this.template = new Template(source);
    this.tokens = Object.fromEntries(
      ['bos_token', 'eos_token', 'unk_token', 'pad_token'].map((name) => [name, tokenText(config[name])]),
    );
  }

  /**
   * @param messages ready for the template
   * @param open whether the assistant's answer is to follow
   * @throws an error of the template for messages that it refuses
   */
  render(messages: readonly ChatMessage[], { tools, kwargs }: Omit<PromptSource, 'messages'>, open: boolean): string {
    return this.template.render({
      ...LEFT_OUT,
      ...this.tokens,
      ...kwargs,
      messages,
      ...(tools.length === 0 ? {} : { tools }),
      add_generation_prompt: open,
    });
  }
}
