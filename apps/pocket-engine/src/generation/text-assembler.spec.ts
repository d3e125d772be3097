import { Vocabulary } from '@app/tokens';
import { TextAssembler, type TextOptions } from './text-assembler';

const TEXTS = ['Hi', ' there', '.', '<|end|>'];
const vocabulary = new Vocabulary({
  folder: 'test',
  tokenizer: {
    model: { type: 'BPE', vocab: { Hi: 0, Ġthere: 1, '.': 2, Ã: 4, '¼': 5 } },
    added_tokens: [{ id: 3, content: '<|end|>', special: true }],
    decoder: { type: 'ByteLevel' },
  },
});

const assemble = (ids: readonly number[], options: Partial<TextOptions> = {}): string[] => {
  const assembler = new TextAssembler(vocabulary, { shown: [], stop: [], keepStop: false, ...options });
  return [...ids.map((id) => assembler.push(id).text), assembler.end()];
};

describe('TextAssembler', () => {
  it('gives each token its text, and hides the marks', () => {
    expect(assemble([0, 1, 2, 3])).toEqual(['Hi', ' there', '.', '', '']);
    expect(assemble([0, 3], { shown: [TEXTS[3]!] })).toEqual(['Hi', '<|end|>', '']);
  });

  it('waits for the rest of a character', () => {
    expect(assemble([4, 5])).toEqual(['', 'ü', '']);
    expect(assemble([0, 4])).toEqual(['Hi', '', '\uFFFD']);
  });

  it('waits while a stop text may be coming, and gives back what was none', () => {
    expect(assemble([0, 1, 2], { stop: ['there!'] })).toEqual(['Hi', ' ', 'there.', '']);
    expect(assemble([0, 1], { stop: ['there!'] })).toEqual(['Hi', ' ', 'there']);
  });

  it('ends at the stop text that comes first, and keeps it if it is to', () => {
    const push = (keepStop: boolean): object => {
      const assembler = new TextAssembler(vocabulary, { shown: [], stop: ['re', 'the'], keepStop });
      assembler.push(0);
      return assembler.push(1);
    };
    expect(push(false)).toEqual({ text: ' ', stopped: 'the' });
    expect(push(true)).toEqual({ text: ' the', stopped: 'the' });
  });
});
