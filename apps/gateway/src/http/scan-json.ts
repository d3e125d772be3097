const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((sign) => sign.charCodeAt(0));

/** `[` and `{` differ from one another in one bit, and so do `]` and `}`. */
const BRACKET_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A member of the outermost object of a JSON text, as its bytes stand there. */
export interface JsonMember {
  readonly key: string;
  /** The key, the value and what is between them. */
  readonly bytes: Buffer;
  readonly value: Buffer;
}

/** Where a member stands: its key with the quotes, and its value with the space around it. */
export interface MemberPlace {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly end: number;
}

/** Index behind the string that begins at `start`; the end of the text where it is not closed. */
const skipString = (text: string, start: number): number => {
  for (let close = text.indexOf('"', start + 1); close !== -1; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
  return text.length;
};

/**
 * Looks once over bytes that nobody has parsed yet, JSON or not: where the members of the outermost object stand, should it be
 * one. null where lists and objects are nested deeper than `maxDepth`.
 */
export const scanObject = (json: Buffer, maxDepth: number): readonly MemberPlace[] | null => {
  // Places in this text are places in the bytes, and to search it costs less than to search a buffer.
  const text = json.toString('latin1');
  const places: MemberPlace[] = [];
  let depth = 0;
  let [keyStart, keyEnd, valueStart] = [-1, -1, -1];
  const endMember = (end: number): void => {
    if (valueStart !== -1) places.push({ keyStart, keyEnd, valueStart, end });
    valueStart = -1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = skipString(text, at);
      if (depth === 1 && valueStart === -1) [keyStart, keyEnd] = [at, end];
      at = end - 1;
    } else if ((code | BRACKET_BIT) === OPEN) {
      depth += 1;
      if (depth > maxDepth) return null;
    } else if ((code | BRACKET_BIT) === CLOSE) {
      depth -= 1;
      if (depth === 0) endMember(at);
    } else if (depth === 1) {
      if (code === COMMA) endMember(at);
      else if (code === COLON) valueStart = at + 1;
    }
  }
  return places;
};

const SPACE = new Set([0x20, 0x0a, 0x0d, 0x09]);

/** @param json a JSON text that has been parsed and is an object, with the places that `scanObject` found in it */
export const membersAt = (json: Buffer, places: readonly MemberPlace[]): readonly JsonMember[] =>
  places.map(({ keyStart, keyEnd, valueStart, end }) => {
    let start = valueStart;
    while (SPACE.has(json[start] ?? -1)) start += 1;
    return {
      key: JSON.parse(json.toString('utf8', keyStart, keyEnd)) as string,
      bytes: json.subarray(keyStart, end),
      value: json.subarray(start, end),
    };
  });
