import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { decode, encode, SPECIAL, tokenText, VOCABULARY_SIZE } from './tokenizer';
import data from './tokenizer.json';

describe('tokenizer of the engine double', () => {
  it('gives every well-formed text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decode(encode(text))).toBe(text);
      }),
    );
    for (const text of ['\uFEFFbom', 'a\u0000b', 'Grüße 👩‍👩‍👧 \r\n\t 日本', '{"a": [1, 2.5]}  \n\n  ']) {
      expect(decode(encode(text))).toBe(text);
    }
  });

  it('has one id for each special token and leaves the hidden ones out of text when asked', () => {
    const text = '<|im_start|>assistant\n<think>x</think><|im_end|>';
    const ids = encode(text);
    expect(ids[0]).toBe(SPECIAL.imStart);
    expect(ids.at(-1)).toBe(SPECIAL.imEnd);
    expect(ids.filter((id) => id === SPECIAL.think)).toHaveLength(1);
    expect(decode(ids, { skipSpecialTokens: true })).toBe('assistant\n<think>x</think>');
  });

  it('decodes as the library does, so that tokenizer.json can be given to a client', () => {
    const library = new Tokenizer(data, { clean_up_tokenization_spaces: false });
    const text = 'The quick brown fox says "hello, wörld".';
    expect(library.decode(encode(text))).toBe(text);
    expect(library.id_to_token(SPECIAL.imEnd)).toBe('<|im_end|>');
    expect(tokenText(SPECIAL.imEnd)).toBe('<|im_end|>');
  });

  it('has 1024 tokens and takes English at more than two characters a token', () => {
    expect(VOCABULARY_SIZE).toBe(1024);
    const text = 'Please read the file and tell me what the tests in it say about the time limit of the gateway. ';
    expect(encode(text).length).toBeLessThan(text.length / 2);
  });
});
