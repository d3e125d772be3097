const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** `[` and `{` differ from one another in one bit, and so do `]` and `}`. */
const BRACKET_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

export const isOpening = (byte: number): boolean => (byte | BRACKET_BIT) === OPEN;
export const isClosing = (byte: number): boolean => (byte | BRACKET_BIT) === CLOSE;

/** Index behind the string that begins at `start`; the end of the text where it is not closed. */
export const skipString = (json: Buffer, start: number): number => {
  for (let close = json.indexOf(QUOTE, start + 1); close !== -1; close = json.indexOf(QUOTE, close + 1)) {
    let backslashes = 0;
    while (json[close - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
  return json.length;
};

/** Whether lists and objects are nested deeper than `limit`. For bytes that nobody has parsed yet, JSON or not. */
export const isDeeperThan = (json: Buffer, limit: number): boolean => {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = skipString(json, at) - 1;
    else if (isOpening(byte)) {
      depth += 1;
      if (depth > limit) return true;
    } else if (isClosing(byte)) depth -= 1;
  }
  return false;
};
