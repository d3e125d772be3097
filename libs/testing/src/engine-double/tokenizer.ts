import { Tokenizer } from '@huggingface/tokenizers';
import data from './tokenizer.json';

const tokenizer = new Tokenizer(data, { clean_up_tokenization_spaces: false });

const idOf = (content: string): number => data.added_tokens.find((token) => token.content === content)?.id ?? -1;

/** Ids of the tokens with a meaning of their own. */
export const SPECIAL = {
  endOfText: idOf('<|endoftext|>'),
  imStart: idOf('<|im_start|>'),
  imEnd: idOf('<|im_end|>'),
  think: idOf('<think>'),
  endThink: idOf('</think>'),
} as const;

/** Ids that are left out of text, as `skip_special_tokens` asks. `<think>` and `<tool_call>` are not among them. */
const HIDDEN = new Set(data.added_tokens.filter((token) => token.special).map((token) => token.id));

const byteOf = new Map<string, number>();
for (let byte = 0, hidden = 0; byte < 256; byte++) {
  const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  byteOf.set(String.fromCodePoint(printable ? byte : 256 + hidden++), byte);
}

const bytesOfToken: Uint8Array[] = [];
for (const [symbols, id] of Object.entries(data.model.vocab)) {
  bytesOfToken[id] = Uint8Array.from(Array.from(symbols, (symbol) => byteOf.get(symbol) ?? 0));
}
for (const { id, content } of data.added_tokens) bytesOfToken[id] = new TextEncoder().encode(content);

export const VOCABULARY_SIZE = bytesOfToken.length;

export const isHidden = (id: number): boolean => HIDDEN.has(id);

/** The bytes that a token stands for; none for an id outside the vocabulary. */
export const tokenBytes = (id: number): Uint8Array => bytesOfToken[id] ?? new Uint8Array();

/** The text of one token alone; half a character gives U+FFFD. */
export const tokenText = (id: number): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(tokenBytes(id));

/** Token ids of a text. Special tokens written out in the text become their ids, as in an engine. */
export const encode = (text: string): number[] => (text === '' ? [] : tokenizer.encode(text).ids);

/** The text of token ids. `decode(encode(text)) === text` for every well-formed text. */
export function decode(ids: readonly number[], { skipSpecialTokens = false } = {}): string {
  const shown = skipSpecialTokens ? ids.filter((id) => !isHidden(id)) : ids;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(shown.map(tokenBytes)));
}
