import fc from 'fast-check';
import { readQwen3 } from '../fixtures/qwen3';
import { createTokenizer } from '../model/hugging-face';
import { Detokenizer } from '../model/detokenizer';
import { Vocabulary } from '../model/vocabulary';
import { SegmentEncoder } from './segment-encoder';

const model = readQwen3();
const vocabulary = new Vocabulary(model);
const encoder = new SegmentEncoder(model, vocabulary);
const tokenizer = createTokenizer(model);

const shard = fc.oneof(
  fc.constantFrom(
    '<|im_start|>',
    '<|im_end|>',
    '<think>',
    '</think>',
    '<tool_call>',
    '<|im_',
    'assistant\n',
    '\n\n',
    ' ',
    "'s",
  ),
  fc.constantFrom('你好，世界', '👩‍🚀', 'e\u0301', '\u200d', '\ud83d', 'ａ', '1234567', '\t\t', '=>', 'x'.repeat(400)),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const text = fc.array(shard, { maxLength: 12 }).map((shards) => shards.join(''));

const encode = (whole: string): number[] => encoder.split(whole).flatMap((segment) => [...encoder.encode(segment).ids]);

describe('SegmentEncoder', () => {
  it('encodes segment by segment as the tokenizer encodes the whole', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(encode(whole)).toEqual(tokenizer.encode(whole, { add_special_tokens: false }).ids);
      }),
      { numRuns: 500 },
    );
  });

  it('prints ids as JSON prints them', () => {
    const { ids, json } = encoder.encode('Hello, world');
    expect(JSON.parse(`[${json}]`)).toEqual(ids);
    expect(ids.length).toBeGreaterThan(1);
  });

  it('knows added tokens from text', () => {
    expect(encoder.split('a<|im_end|>\nb')).toEqual(['a', '<|im_end|>', '\nb']);
    expect([vocabulary.isAdded('<|im_end|>'), vocabulary.isAdded('a')]).toEqual([true, false]);
  });
});

describe('Detokenizer', () => {
  const shown = vocabulary.added.map(({ content }) => content);
  const decode = (pieces: readonly (readonly number[])[], options = { shown }): string => {
    const detokenizer = new Detokenizer(vocabulary, options);
    return pieces.map((ids) => detokenizer.push(ids)).join('') + detokenizer.end();
  };

  it('gives back every text that was encoded, however its ids are cut', () => {
    fc.assert(
      fc.property(text, fc.nat(), (whole, cut) => {
        const ids = encode(whole);
        const at = cut % (ids.length + 1);
        const expected = Buffer.from(whole.normalize('NFC')).toString();
        expect(decode([ids.slice(0, at), ids.slice(at)])).toBe(expected);
        expect(decode(ids.map((id) => [id]))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('waits for the rest of a character, and shows what never gets one as a replacement', () => {
    const ids = encode('𓀀');
    expect(ids.length).toBeGreaterThan(1);
    const detokenizer = new Detokenizer(vocabulary, { shown });
    expect(detokenizer.push(ids.slice(0, 1))).toBe('');
    expect(detokenizer.push(ids.slice(1))).toBe('𓀀');
    expect(decode([ids.slice(0, 1), encode('a')])).toBe('\ufffda');
    expect(decode([ids.slice(0, 1)])).toBe('\ufffd');
  });

  it('leaves out special tokens but those that are marks, and a request’s own stop tokens', () => {
    const ids = encode('<think>a</think>b!<|im_end|>');
    expect(decode([ids], { shown: [] })).toBe('<think>a</think>b!');
    expect(decode([ids], { shown: ['<|im_end|>'] })).toBe('<think>a</think>b!<|im_end|>');
    const hidden = new Detokenizer(vocabulary, { shown: [], hiddenIds: encode('!') });
    expect(hidden.push(ids)).toBe('<think>a</think>b');
  });

  it('shows nothing for ids that no vocabulary has', () => {
    expect(decode([[999_999_999]])).toBe('');
  });
});
