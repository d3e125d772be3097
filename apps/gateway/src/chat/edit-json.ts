import { isClosing, isOpening, skipString } from '../http/scan-json';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = new Set([0x20, 0x0a, 0x0d, 0x09]);

/** A member of the outermost object of a JSON text, as its bytes stand there. */
export interface JsonMember {
  readonly key: string;
  /** The key, the value and what is between them. */
  readonly bytes: Buffer;
  readonly value: Buffer;
}

const skipSpace = (json: Buffer, start: number): number => {
  let at = start;
  while (SPACE.has(json[at] ?? -1)) at += 1;
  return at;
};

/** Index behind the value that begins at `start`: at the comma or brace that follows it. */
const skipValue = (json: Buffer, start: number): number => {
  let depth = 0;
  for (let at = start; ; at += 1) {
    const byte = json[at] ?? -1;
    if (byte === QUOTE) at = skipString(json, at) - 1;
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte) && depth > 0) depth -= 1;
    else if (depth === 0 && (byte === COMMA || isClosing(byte))) return at;
  }
};

/** @param json a JSON text that has been parsed before and is an object */
export const membersOf = (json: Buffer): readonly JsonMember[] => {
  const members: JsonMember[] = [];
  let at = skipSpace(json, json.indexOf(0x7b) + 1);
  while (json[at] === QUOTE) {
    const keyEnd = skipString(json, at);
    const key = JSON.parse(json.toString('utf8', at, keyEnd)) as string;
    const start = skipSpace(json, json.indexOf(COLON, keyEnd) + 1);
    const end = skipValue(json, start);
    members.push({ key, bytes: json.subarray(at, end), value: json.subarray(start, end) });
    at = json[end] === COMMA ? skipSpace(json, end + 1) : end;
  }
  return members;
};

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
