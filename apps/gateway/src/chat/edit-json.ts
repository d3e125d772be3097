import { isClosing, isOpening, skipString } from '../http/scan-json';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = new Set([0x20, 0x0a, 0x0d, 0x09]);

interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
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

const membersOf = (json: Buffer): Member[] => {
  const members: Member[] = [];
  let at = skipSpace(json, json.indexOf(0x7b) + 1);
  while (json[at] === QUOTE) {
    const start = at;
    const keyEnd = skipString(json, start);
    const key = JSON.parse(json.toString('utf8', start, keyEnd)) as string;
    const end = skipValue(json, skipSpace(json, json.indexOf(COLON, keyEnd) + 1));
    members.push({ key, start, end });
    at = json[end] === COMMA ? skipSpace(json, end + 1) : end;
  }
  return members;
};

/**
 * Sets and removes members of the outermost object of a JSON text and leaves every other byte as it is, so that what we
 * do not know reaches the model unchanged: big integers, number forms, repeated keys, order.
 *
 * @param json a JSON text that has been parsed before and is an object
 * @param changes member name to new value; `undefined` removes it
 */
export const editJson = (json: Buffer, changes: Readonly<Record<string, unknown>>): Buffer => {
  const kept = membersOf(json)
    .filter((member) => !Object.hasOwn(changes, member.key))
    .map((member) => json.subarray(member.start, member.end));
  const added = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(value)}`));
  const comma = Buffer.from(',');
  const parts = [...kept, ...added].flatMap((part, i) => (i === 0 ? [part] : [comma, part]));
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
};
