import { Tokenizer } from '@huggingface/tokenizers';
import type { ModelFolder } from './model-folder';

/** What is used of the tokenizer; its own types do not resolve under Node's module rules. */
export interface TextTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: number[] };
}

const construct = Tokenizer as unknown as new (tokenizer: object, config: object) => TextTokenizer;

/** The model's tokenizer. */
export const createTokenizer = ({ tokenizer, config }: ModelFolder): TextTokenizer => new construct(tokenizer, config);
