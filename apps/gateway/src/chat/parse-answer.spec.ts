import fc from 'fast-check';
import { parseAnswer } from './parse-answer';

describe('parseAnswer', () => {
  it('reads numbers that JSON does not have as null, outside strings only', () => {
    const text = '{"a":-Infinity,"b":[NaN,Infinity,-1],"c":"NaN and -Infinity \\"NaN\\"","Infinity":NaN}';
    expect(parseAnswer(text, true)).toEqual({
      answer: { a: null, b: [null, null, -1], c: 'NaN and -Infinity "NaN"', Infinity: null },
      mended: true,
    });
  });

  it('mends nothing where it is not asked to, and nothing that is right', () => {
    expect(parseAnswer('{"a":NaN}', false)).toBeNull();
    expect(parseAnswer('{"a":"NaN"}', true)).toEqual({ answer: { a: 'NaN' }, mended: false });
  });

  it.each(['', 'NaN', '[1]', '"x"', '{"a":', '{"a":NaN'])('takes %j for no answer', (text) => {
    expect(parseAnswer(text, true)).toBeNull();
  });

  it('changes nothing else, whatever the strings hold', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (strings) => {
        const text = `{"strings":${JSON.stringify(strings)},"n":NaN}`;
        expect(parseAnswer(text, true)?.answer).toEqual(JSON.parse(text.replace(/,"n":NaN}$/, ',"n":null}')));
      }),
    );
  });
});
