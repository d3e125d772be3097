import { IsOptional } from 'class-validator';
import { IsAllowed, IsFiniteNumber, IsName, IsText, IsWholeNumber } from './fields';
import { readFlatBody } from './flat-body';

class Note {
  @IsText(1, 10)
  text!: string;

  @IsOptional()
  @IsWholeNumber(1, 2)
  rank?: number;
}

class Letter extends Note {
  @IsOptional()
  @IsFiniteNumber()
  weight?: number;

  @IsOptional()
  @IsName()
  to?: string;

  @IsOptional()
  @IsText(0, 3)
  sign?: string;

  @IsOptional()
  @IsAllowed('left out where to is given', (_value, { to }) => to === undefined)
  from?: string;
}

const read = (json: string) => readFlatBody(Note, JSON.parse(json));

describe('readFlatBody', () => {
  it('gives an instance with the fields that were sent', () => {
    const result = read('{"text":"a","rank":2}');
    expect(result).toEqual({ body: Object.assign(new Note(), { text: 'a', rank: 2 }) });
    expect('body' in result && result.body).toBeInstanceOf(Note);
  });

  it('takes null for a field that was left out', () => {
    expect(read('{"text":"a","rank":null}')).toEqual({ body: Object.assign(new Note(), { text: 'a' }) });
    expect(read('{"text":"a","unknown":null}')).toMatchObject({ fault: { field: 'unknown' } });
    expect(read('{"text":null}')).toMatchObject({ fault: { field: 'text' } });
  });

  it.each([undefined, null, {}])('takes %p for an empty body', (value) => {
    expect(readFlatBody(Note, value)).toMatchObject({ fault: { field: 'text' } });
  });

  it.each([
    ['[]', 'a list of length 0'],
    ['5', '5'],
    ['"x"', 'a text of length 1'],
    ['true', 'true'],
    ['[{"text":"a"}]', 'a list of length 1'],
  ])('refuses %s, which is no object', (json, got) => {
    expect(read(json)).toEqual({ fault: { field: 'body', message: `must be a JSON object, got ${got}` } });
  });

  it.each([
    ['{"rank":1}', 'text', 'must be a text of 1 to 10 characters, got nothing'],
    ['{"text":"","rank":1}', 'text', 'must be a text of 1 to 10 characters, got a text of length 0'],
    ['{"text":"my long secret"}', 'text', 'must be a text of 1 to 10 characters, got a text of length 14'],
    ['{"text":["a","b"]}', 'text', 'must be a text of 1 to 10 characters, got a list of length 2'],
    ['{"text":{}}', 'text', 'must be a text of 1 to 10 characters, got an object'],
    ['{"text":"a","rank":3}', 'rank', 'must be a whole number from 1 to 2, got 3'],
    ['{"text":"a","rank":0}', 'rank', 'must be a whole number from 1 to 2, got 0'],
    ['{"text":"a","rank":1.5}', 'rank', 'must be a whole number from 1 to 2, got 1.5'],
    ['{"text":"a","rank":"1"}', 'rank', 'must be a whole number from 1 to 2, got a text of length 1'],
    ['{"text":"a","rank":true}', 'rank', 'must be a whole number from 1 to 2, got true'],
    ['{"text":"a","weight":"1"}', 'weight', 'must be a finite number, got a text of length 1'],
    ['{"text":"a","weight":1e999}', 'weight', 'must be a finite number, got Infinity'],
    ['{"text":"a","to":"a b"}', 'to', 'must be 1 to 128 visible ASCII characters, got a text of length 3'],
    ['{"text":"a","sign":"abcd"}', 'sign', 'must be a text of at most 3 characters, got a text of length 4'],
    ['{"text":"a","to":"b","from":"c"}', 'from', 'must be left out where to is given, got a text of length 1'],
  ])('says of %s what is allowed and what was got', (json, field, message) => {
    expect(readFlatBody(Letter, JSON.parse(json))).toEqual({ fault: { field, message } });
  });

  it('takes what is allowed, in the fields of its base class too', () => {
    const json = { text: 'a', rank: 2, weight: -0.5, to: 'b', sign: '' };
    expect(readFlatBody(Letter, json)).toEqual({ body: Object.assign(new Letter(), json) });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'unknown'])(
    'refuses a field called %s',
    (field) => {
      expect(read(`{"text":"a","${field}":{"polluted":1}}`)).toEqual({
        fault: { field, message: 'is not a field of this request, which are text, rank' },
      });
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  it('does not walk into what is nested', () => {
    const depth = 100_000;
    expect(read(`{"text":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toMatchObject({ fault: { field: 'text' } });
    expect(read('{"text":{"role":[{"constructor":-1}]}}')).toMatchObject({ fault: { field: 'text' } });
  });
});
