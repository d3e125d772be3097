import { BYTE_SYMBOLS } from './byte-symbols';
import { CHAT_TEMPLATE, MARKS } from './chat-template';
import { PIECES } from './pieces';
import type { Merge } from './train-bpe';

type Json = Readonly<Record<string, unknown>>;

/** tokenizer.json in Hugging Face's layout: the marks, the bytes, then what each merge makes. */
export const tokenizerJson = (merges: readonly Merge[]): Json => {
  const tokens = [...BYTE_SYMBOLS, ...merges.map(([left, right]) => left + right)];
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: MARKS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [{ type: 'Split', pattern: { Regex: PIECES }, behavior: 'Isolated', invert: false }, byteLevel],
    },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, at) => [token, MARKS.length + at])),
      merges: merges.map((merge) => [...merge]),
    },
  };
};

export const tokenizerConfigJson = (context: number): Json => ({
  tokenizer_class: 'PreTrainedTokenizerFast',
  add_bos_token: false,
  add_eos_token: false,
  clean_up_tokenization_spaces: false,
  eos_token: '<|end|>',
  pad_token: '<|pad|>',
  model_max_length: context,
  chat_template: CHAT_TEMPLATE,
});
