import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { countPieces } from './pieces';
import { PocketTokenizer } from './pocket-tokenizer';
import { tokenizerConfigJson, tokenizerJson } from './tokenizer-files';
import { trainBytePairs } from './train-bpe';

const TEXTS = ['low lower lowest', 'new newer newest', 'low low low 12 112 12', 'so, so; so\n\nSo'];
const merges = trainBytePairs(countPieces(TEXTS), 24);
const files = { tokenizer: tokenizerJson(merges), config: tokenizerConfigJson(64) as { chat_template: string } };
const tokenizer = new PocketTokenizer(files);

describe('countPieces', () => {
  it('splits text into words, whole numbers, signs, line ends and blanks, and loses nothing', () => {
    expect([...countPieces(['it is 12 + 307.\n\n  **so**']).keys()]).toEqual([
      'it',
      ' is',
      ' 12',
      ' +',
      ' 307',
      '.',
      '\n\n',
      '  ',
      '**',
      'so',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const pieces = countPieces([text]);
        const length = [...pieces].reduce((sum, [piece, count]) => sum + piece.length * count, 0);
        expect(length).toBe(text.length);
      }),
    );
  });
});

describe('trainBytePairs', () => {
  it('joins the most frequent pair first, of equal ones the first in the alphabet', () => {
    const pieces = new Map([
      ['ab', 3],
      ['abc', 2],
      ['xy', 2],
      ['cd', 2],
    ]);
    expect(trainBytePairs(pieces, 10)).toEqual([
      ['a', 'b'],
      ['ab', 'c'],
      ['c', 'd'],
      ['x', 'y'],
    ]);
  });

  it('never joins across pieces', () => {
    const joined = merges.map(([left, right]) => left + right);
    for (const token of joined) expect(token).toMatch(/^Ġ?([a-zA-Z]+|\d+|[^a-zA-Z\d]+)$/);
  });

  it('makes tokens in which every text comes back', () => {
    expect(tokenizer.encode('lower newest 112').length).toBeLessThan(10);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('<|'));
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }),
    );
  });

  it('makes a tokenizer.json that another reader of the format loads', () => {
    const construct = Tokenizer as unknown as new (
      tokenizer: object,
      config: object,
    ) => { encode(text: string): object };
    expect(new construct(files.tokenizer, files.config).encode('<|user|>low<|end|>')).toMatchObject({
      ids: [0, ...tokenizer.encode('low'), 2],
    });
  });
});
