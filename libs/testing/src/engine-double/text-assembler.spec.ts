import fc from 'fast-check';
import { TextAssembler } from './text-assembler';
import { encode } from './tokenizer';

const assemble = (text: string, stop: string[] = [], keepStop = false): { pieces: string[]; stopped?: string } => {
  const assembler = new TextAssembler({ skipSpecialTokens: true, stop, keepStop });
  const pieces: string[] = [];
  for (const id of encode(text)) {
    const piece = assembler.push(id);
    pieces.push(piece.text);
    if (piece.stopped !== undefined) return { pieces, stopped: piece.stopped };
  }
  return { pieces: [...pieces, assembler.end()] };
};

describe('TextAssembler', () => {
  it('never cuts a character in two', () => {
    const { pieces } = assemble('日本語 👩‍👩‍👧 ok');
    expect(pieces.join('')).toBe('日本語 👩‍👩‍👧 ok');
    expect(pieces.join('|')).not.toContain('\uFFFD');
  });

  it('ends before a stop text, wherever the tokens fall', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, stop, after) => {
        const text = before + stop + after;
        const { pieces, stopped } = assemble(text, [stop]);
        expect(stopped).toBe(stop);
        expect(pieces.join('')).toBe(text.slice(0, text.indexOf(stop)));
      }),
    );
  });

  it('gives back a beginning of a stop text that went on otherwise', () => {
    expect(assemble('a STOX b', ['STOP']).pieces.join('')).toBe('a STOX b');
    expect(assemble('a STO', ['STOP']).pieces.join('')).toBe('a STO');
    expect(assemble('a STOP b', ['STOP'], true).pieces.join('')).toBe('a STOP');
  });
});
