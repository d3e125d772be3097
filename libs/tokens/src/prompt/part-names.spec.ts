import fc from 'fast-check';
import { PartNames } from './part-names';
import type { PartRequest } from './part-request';

const partOf = (messages: PartRequest['messages'], rest: Partial<PartRequest> = {}): PartRequest => ({
  isHead: true,
  next: null,
  messages,
  tools: [],
  kwargs: {},
  ...rest,
});

const long = (word: string): string => word.repeat(2000);

/** Texts of which some are long, and some contents that are none. */
const anyContent = fc.oneof(fc.constantFrom(long('a'), long('b'), `${long('a')}b`, null, 'a', ''), fc.jsonValue());
const anyPart = fc
  .array(fc.record({ role: fc.constantFrom('user', 'system'), content: anyContent }), { maxLength: 3 })
  .map((messages) => partOf(messages as PartRequest['messages']));

describe('PartNames', () => {
  it('names two parts alike if they are alike, and only then', () => {
    fc.assert(
      fc.property(anyPart, anyPart, (one, other) => {
        const names = new PartNames();
        expect(names.of(one) === names.of(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it('holds no long text', () => {
    const names = new PartNames();
    const system = { role: 'system', content: long('secret') };
    expect(names.of(partOf([system, { role: 'user', content: 'hi' }]))).not.toContain('secret');
    expect(names.of(partOf([system])).length).toBeLessThan(200);
  });

  it('tells a long text from what its name would look like', () => {
    const names = new PartNames();
    const named = names.of(partOf([{ role: 'user', content: long('a') }]));
    const [without] = JSON.parse(named) as [PartRequest, unknown];
    expect(names.of(without)).not.toBe(named);
  });
});
