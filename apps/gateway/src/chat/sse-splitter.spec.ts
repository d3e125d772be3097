import fc from 'fast-check';
import { dataOf, SseSplitter, withData } from './sse-splitter';

const split = (pieces: readonly Buffer[]): { events: string[]; rest: string } => {
  const splitter = new SseSplitter();
  const events = pieces.flatMap((piece) => splitter.push(piece)).map(String);
  return { events, rest: splitter.flush().toString() };
};

const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const borders = [0, ...[...places].sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, i) => bytes.subarray(borders[i], end));
};

const line = fc.oneof(
  fc.constantFrom(
    'data: {"a":1}',
    'data:[DONE]',
    ': keep-alive',
    'event: error',
    'id: 7',
    'data: é😀',
    '\uFEFFdata: x',
    '',
  ),
  fc.string({ maxLength: 5 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n', '\r\n\r\n', '\n\r\n', '\r')), { maxLength: 12 })
  .map((lines) => Buffer.from(lines.flat().join('')));

describe('SseSplitter', () => {
  it('gives the whole stream back, and the same events wherever the network cuts it', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        const whole = split([bytes]);
        const cut = split(
          cutAt(
            bytes,
            places.map((place) => place % (bytes.length + 1)),
          ),
        );
        expect(cut).toEqual(whole);
        expect(whole.events.join('') + whole.rest).toBe(bytes.toString());
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same events byte by byte', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        expect(split(cutAt(bytes, [...bytes.keys()]))).toEqual(split([bytes]));
      }),
    );
  });

  it.each([
    ['line feeds', 'data: a\n\ndata: b\n\n', ['data: a\n\n', 'data: b\n\n'], ''],
    ['carriage returns and line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', ['data: a\r\n\r\n', 'data: b\r\n\r\n'], ''],
    ['both in one event', 'data: a\n\r\ndata: b\r\n\n', ['data: a\n\r\n', 'data: b\r\n\n'], ''],
    ['comments', ': hi\n\ndata: a\n\n', [': hi\n\n', 'data: a\n\n'], ''],
    ['several lines of data', 'data: {\ndata: }\n\n', ['data: {\ndata: }\n\n'], ''],
    ['no blank line at the end', 'data: a\n\ndata: [DONE]', ['data: a\n\n'], 'data: [DONE]'],
    ['one line feed at the end', 'data: a\n\ndata: b\n', ['data: a\n\n'], 'data: b\n'],
    ['nothing', '', [], ''],
  ])('%s', (_what, text, events, rest) => {
    expect(split([Buffer.from(text)])).toEqual({ events, rest });
  });

  it('hands an event on as soon as its blank line is there, not before', () => {
    const splitter = new SseSplitter();
    expect(splitter.push(Buffer.from('data: a\r\n\r'))).toEqual([]);
    expect(splitter.push(Buffer.from('\n')).map(String)).toEqual(['data: a\r\n\r\n']);
  });

  it('puts a long event together once, however many pieces it comes in', () => {
    const splitter = new SseSplitter();
    const piece = Buffer.alloc(1000, 0x78);
    const start = performance.now();
    for (let i = 0; i < 30_000; i += 1) expect(splitter.push(piece)).toHaveLength(0);
    expect(splitter.push(Buffer.from('\n\n'))[0]).toHaveLength(30_000_002);
    // Copied again with each piece this would be 450 GB.
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('is empty after a flush', () => {
    const splitter = new SseSplitter();
    splitter.push(Buffer.from('data: a'));
    expect(splitter.flush().toString()).toBe('data: a');
    expect(splitter.flush()).toHaveLength(0);
  });
});

describe('dataOf', () => {
  it.each([
    ['one line', 'data: {"a":1}\n\n', '{"a":1}'],
    ['no space behind the colon', 'data:[DONE]\n\n', '[DONE]'],
    ['one space is the field’s, a second one the text’s', 'data:  a\n\n', ' a'],
    ['carriage returns', 'data: a\r\n\r\n', 'a'],
    ['several lines', 'data: {"a":\ndata: 1}\n\n', '{"a":\n1}'],
    ['other fields beside it', 'event: error\nid: 3\ndata: x\n\n', 'x'],
    ['a byte order mark', '\uFEFFdata: x\n\n', 'x'],
    ['no end', 'data: [DONE]', '[DONE]'],
    ['empty data', 'data:\n\n', ''],
    ['a comment', ': data: x\n\n', null],
    ['an event without data', 'event: ping\n\n', null],
    ['another field', 'database: x\n\n', null],
    ['a blank line', '\n\n', null],
  ])('%s', (_what, event, data) => {
    expect(dataOf(Buffer.from(event))).toBe(data);
  });
});

describe('withData', () => {
  it.each([
    ['a plain event', 'data: a\n\n', 'data: NEW\n\n'],
    ['other fields stay', 'id: 3\nevent: x\ndata: a\n: note\n\n', 'id: 3\nevent: x\ndata: NEW\n: note\n\n'],
    ['several lines become one', 'data: a\ndata: b\nid: 3\n\n', 'data: NEW\nid: 3\n\n'],
    ['an event without its blank line gets one', 'data: a', 'data: NEW\n\n'],
    ['an event with half its blank line', 'data: a\n', 'data: NEW\n\n'],
    ['carriage returns', 'event: x\r\ndata: a\r\n\r\n', 'event: x\ndata: NEW\n\n'],
  ])('%s', (_what, event, expected) => {
    expect(withData(Buffer.from(event), 'NEW').toString()).toBe(expected);
  });
});
