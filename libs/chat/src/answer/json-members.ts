import { isRecord } from '../chat-message';

const SPACE = /\s/;

const skipSpace = (json: string, start: number): number => {
  let at = start;
  while (at < json.length && SPACE.test(json.charAt(at))) at += 1;
  return at;
};

const skipString = (json: string, start: number): number => {
  let at = start + 1;
  while (json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
};

const skipValue = (json: string, start: number): number => {
  let depth = 0;
  for (let at = start; ; at += 1) {
    const char = json.charAt(at);
    if (char === '"') at = skipString(json, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (depth > 0 && (char === '}' || char === ']')) depth -= 1;
    else if (depth === 0 && (char === ',' || char === '}')) return at;
  }
};

/** The value of a JSON text that is an object, null for everything else. */
export const parseObject = (json: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
};

/**
 * The text of each member's value, as it is written: parsing and printing again would change numbers and spacing.
 *
 * @param json a JSON text that is an object
 */
export const memberTexts = (json: string): Map<string, string> => {
  const members = new Map<string, string>();
  let at = skipSpace(json, json.indexOf('{') + 1);
  while (json.charAt(at) === '"') {
    const keyEnd = skipString(json, at);
    const key = JSON.parse(json.slice(at, keyEnd)) as string;
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = skipValue(json, start);
    members.set(key, json.slice(start, end).trimEnd());
    at = json.charAt(end) === ',' ? skipSpace(json, end + 1) : end;
  }
  return members;
};

/** Index behind the object that begins at `start` of any text, JSON or not; -1 where its braces do not close. */
export const objectEnd = (text: string, start: number): number => {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};
