import fc from 'fast-check';
import { StopText } from './stop-text';

const run = (stops: string[], pieces: string[]): string => {
  const stop = new StopText(stops);
  return pieces.map((piece) => stop.push(piece)).join('') + stop.end();
};

describe('StopText', () => {
  it('shows what stands before the first text that ends an answer, however it is cut', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'E', 'N', 'D', 'END', '\n'), { maxLength: 12 });
    fc.assert(
      fc.property(text, (pieces) => {
        const whole = pieces.join('');
        const ends = ['END', 'bb'].map((stop) => whole.indexOf(stop)).filter((at) => at !== -1);
        expect(run(['END', 'bb'], pieces)).toBe(ends.length === 0 ? whole : whole.slice(0, Math.min(...ends)));
      }),
    );
  });

  it('holds back no more than may become such a text', () => {
    const stop = new StopText(['END']);
    expect([stop.push('abEN'), stop.push('x'), stop.push('E'), stop.end()]).toEqual(['ab', 'ENx', '', 'E']);
  });

  it('passes everything on where nothing ends an answer', () => {
    expect(new StopText([]).push('END')).toBe('END');
  });
});
