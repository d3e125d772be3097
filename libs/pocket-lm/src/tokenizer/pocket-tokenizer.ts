import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import type { DialogMessage } from '../corpus/document';

/** What is used of the library; its own types do not resolve under Node's module rules. */
interface Encoder {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: number[] };
  decode(ids: readonly number[], options: { readonly skip_special_tokens: boolean }): string;
}

const construct = Tokenizer as unknown as new (tokenizer: object, config: object) => Encoder;

/** Tokenizer and chat template of a model folder, as pretraining and its tests use them. */
export class PocketTokenizer {
  private readonly encoder: Encoder;
  private readonly template: Template;
  private readonly texts = new Map<number, string>();

  /** @param files tokenizer.json and tokenizer_config.json, parsed */
  constructor({
    tokenizer,
    config,
  }: {
    readonly tokenizer: object;
    readonly config: { readonly chat_template: string };
  }) {
    this.encoder = new construct(tokenizer, config);
    this.template = new Template(config.chat_template);
  }

  encode(text: string): number[] {
    return this.encoder.encode(text, { add_special_tokens: false }).ids;
  }

  /** Text without marks. */
  decode(ids: readonly number[]): string {
    return ids.length === 0 ? '' : this.encoder.decode(ids, { skip_special_tokens: true });
  }

  /** Text of one token; half a character is U+FFFD. */
  textOf(id: number): string {
    const known = this.texts.get(id);
    if (known !== undefined) return known;
    const text = this.encoder.decode([id], { skip_special_tokens: false });
    this.texts.set(id, text);
    return text;
  }

  /** Ids of the prompt that asks for the next answer. */
  promptIds(messages: readonly DialogMessage[]): number[] {
    return this.encode(this.template.render({ messages: [...messages], add_generation_prompt: true }));
  }
}
