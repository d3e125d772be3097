import { IsIn, IsOptional, IsString } from 'class-validator';
import { readFlatBody } from './flat-body';

class Note {
  @IsString()
  text!: string;

  @IsOptional()
  @IsIn([1, 2])
  rank?: number;
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

  it.each(['[]', '5', '"x"', 'true', '[{"text":"a"}]'])('refuses %s, which is no object', (json) => {
    expect(read(json)).toEqual({ fault: { field: 'body', message: 'must be a JSON object' } });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'unknown'])(
    'refuses a field called %s',
    (field) => {
      expect(read(`{"text":"a","${field}":{"polluted":1}}`)).toEqual({
        fault: { field, message: `property ${field} should not exist` },
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
