import type { JsonMember } from '../http/scan-json';

/** JSON of a member's value; of the last one where the key stands repeatedly, which is the one that a parser takes. */
export const valueOf = (members: readonly JsonMember[], key: string): Buffer | undefined =>
  members.findLast((member) => member.key === key)?.value;

const OPEN = Buffer.from('{');
const NEXT = Buffer.from(',');
const CLOSE = Buffer.from('}');

/**
 * Sets and removes members of a JSON object and leaves every other byte as it is, so that what we do not know reaches the
 * model unchanged: big integers, number forms, repeated keys, order.
 *
 * @param changes member name to new value; `undefined` removes it
 */
export const editJson = (members: readonly JsonMember[], changes: Readonly<Record<string, unknown>>): Buffer => {
  const kept = members.filter(({ key }) => !Object.hasOwn(changes, key)).map(({ bytes }) => bytes);
  const added = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const parts = added.length === 0 ? kept : [...kept, Buffer.from(added.join(','))];
  return Buffer.concat([OPEN, ...parts.flatMap((part, i) => (i === 0 ? [part] : [NEXT, part])), CLOSE]);
};
