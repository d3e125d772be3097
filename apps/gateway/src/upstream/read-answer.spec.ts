import { Readable } from 'node:stream';
import type { UpstreamResponse } from '@app/engines';
import { AnswerMeter, readWhole } from './read-answer';

const response = (pieces: readonly string[], length?: number): Pick<UpstreamResponse, 'headers' | 'body'> => {
  const stream = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  const body = Object.assign(stream, { arrayBuffer: () => Promise.resolve(Buffer.from(pieces.join(''))) });
  return {
    headers: length === undefined ? {} : { 'content-length': String(length) },
    body: body as unknown as UpstreamResponse['body'],
  };
};

describe('AnswerMeter', () => {
  it('takes pieces up to the limit together, and refuses the next byte', () => {
    const meter = new AnswerMeter(5);
    meter.add(Buffer.alloc(3));
    meter.add(Buffer.alloc(2));
    expect(() => {
      meter.add(Buffer.alloc(1));
    }).toThrow(expect.objectContaining({ status: 502, code: 'upstream_endless' }));
  });
});

describe('readWhole', () => {
  it.each([undefined, 4])('reads an answer of length %s', async (length) => {
    expect((await readWhole(response(['ab', 'cd'], length))).toString()).toBe('abcd');
  });
});
