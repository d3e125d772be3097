import fc from 'fast-check';
import { membersAt, scanObject } from '../http/scan-json';
import { editJson, valueOf } from './edit-json';

const membersOf = (raw: Buffer) => membersAt(raw, scanObject(raw, Infinity) ?? []);

const edit = (text: string, changes: Record<string, unknown>): string =>
  editJson(membersOf(Buffer.from(text)), changes).toString();

/** JSON texts as clients may write them: any value, any form of it that JSON knows. */
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 3 });
const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
const stringText = fc
  .tuple(fc.string({ unit: 'binary' }), fc.boolean())
  .map(([text, escape]) => (escape ? `"${escaped(text)}"` : JSON.stringify(text)));
// No key holds a backslash: V8 can take an escaped key for such a one that it has seen before.
const NAMES = ['model', 'session_id', 'logprobs', 'temperature', 'a', 'a"b', 'é😀', '{', ''];
const keyText = fc
  .tuple(fc.constantFrom(...NAMES), fc.boolean())
  .map(([name, escape]) => (escape ? `"${escaped(name)}"` : JSON.stringify(name)));
const numberText = fc.oneof(
  fc.constantFrom('12345678901234567890', '-0', '1.0', '1e5', '1E-7', '0.10', '9007199254740993'),
  fc.bigInt().map(String),
);
const scalarText = fc.oneof(stringText, numberText, fc.constantFrom('true', 'false', 'null'));
const { value: valueText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalarText,
    fc
      .array(fc.tuple(space, tie('value')), { maxLength: 3 })
      .map((items) => `[${items.map((i) => i.join('')).join(',')} ]`),
    fc
      .array(fc.tuple(keyText, space, tie('value')), { maxLength: 3 })
      .map((members) => `{${members.map(([key, gap, value]) => `${key}${gap}:${value}`).join(' ,')}}`),
  ),
}));

const member = fc.record({ key: keyText, before: space, gap: space, value: valueText, after: space });
const changes = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.option(fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.constant(null)), { nil: undefined }),
);

describe('editJson', () => {
  it('sets and removes members and keeps the bytes of all others, in their order', () => {
    fc.assert(
      fc.property(space, fc.array(member, { maxLength: 6 }), space, changes, (head, members, tail, change) => {
        const text =
          `${head}{` +
          members.map((m) => `${m.before}${m.key}${m.gap}:${m.gap}${m.value}${m.after}`).join(',') +
          (members.length === 0 ? head : '') +
          `}${tail}`;
        const edited = edit(text, change);

        const expected = JSON.parse(text) as Record<string, unknown>;
        for (const [key, value] of Object.entries(change)) {
          // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the plain reference of what is tested
          if (value === undefined) delete expected[key];
          else expected[key] = value;
        }
        expect(JSON.parse(edited)).toEqual(expected);

        const untouched = members.filter((m) => !Object.hasOwn(change, JSON.parse(m.key) as string));
        const kept = untouched.map((m) => `${m.key}${m.gap}:${m.gap}${m.value}${m.after}`).join(',');
        expect(edited.startsWith(`{${kept}`)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['an empty object', '{}', { model: 'm' }, '{"model":"m"}'],
    ['an empty object with space in it', ' { \n } ', { model: 'm' }, '{"model":"m"}'],
    ['nothing to change', '{ "a" : 1 , "b":[ ] }', {}, '{"a" : 1 ,"b":[ ] }'],
    ['the last member removed', '{"session_id":"s"}', { session_id: undefined }, '{}'],
    ['a member that is not there', '{"a":1}', { session_id: undefined }, '{"a":1}'],
    ['every copy of a repeated member', '{"model":"x","a":1,"model":"y"}', { model: 'm' }, '{"a":1,"model":"m"}'],
    ['repeated members that nobody changes', '{"a":1,"a":2}', { model: 'm' }, '{"a":1,"a":2,"model":"m"}'],
    ['a name in escapes', '{"mod\\u0065l":"x","a":1}', { model: 'm' }, '{"a":1,"model":"m"}'],
    [
      'numbers that JavaScript cannot hold',
      '{"seed":12345678901234567890}',
      { n: 1 },
      '{"seed":12345678901234567890,"n":1}',
    ],
    ['brackets and quotes inside strings', '{"a":"}],{\\"\\\\","b":1}', { b: undefined }, '{"a":"}],{\\"\\\\"}'],
    ['a like-named member further in', '{"a":{"model":"x"}}', { model: 'm' }, '{"a":{"model":"x"},"model":"m"}'],
    [
      'values of more than one kind',
      '{}',
      { a: null, b: [1, { c: 'é' }], d: true },
      '{"a":null,"b":[1,{"c":"é"}],"d":true}',
    ],
  ])('%s', (_what, before, change, after) => {
    expect(edit(before, change)).toBe(after);
  });

  it('keeps bytes that are no UTF-8 in members it does not touch', () => {
    const raw = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('","model":"x"}')]);
    const expected = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('","model":"m"}')]);
    expect(editJson(membersOf(raw), { model: 'm' }).equals(expected)).toBe(true);
  });

  it('leaves the given bytes alone', () => {
    const raw = Buffer.from('{"model":"x"}');
    editJson(membersOf(raw), { model: 'm' });
    expect(raw.toString()).toBe('{"model":"x"}');
  });
});

describe('valueOf', () => {
  it('gives the JSON that a parser reads, byte for byte', () => {
    const members = membersOf(Buffer.from('{ "a" : [1.0, "]"] ,"b":2,"a":  12345678901234567890 }'));
    expect(valueOf(members, 'a')?.toString()).toBe('12345678901234567890 ');
    expect(valueOf(members, 'b')?.toString()).toBe('2');
    expect(valueOf(members, 'c')).toBeUndefined();
  });
});
