import { isRecord } from '../chat-message';
import type { ParsedCall, ToolDialect, ToolSchemas } from './tool-dialect';

const FUNCTION = /\s*<function=([^>\n]+)>\n?([\s\S]*?)<\/function>\s*/y;
const PARAMETER = /\s*<parameter=([^>\n]+)>\n?([\s\S]*?)\n?<\/parameter>\s*/y;

/** All matches of a sticky pattern, null unless they make up the whole text. */
const matchWhole = (text: string, pattern: RegExp): RegExpExecArray[] | null => {
  const matches: RegExpExecArray[] = [];
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return null;
    matches.push(match);
    at = pattern.lastIndex;
  }
  return matches;
};

const typeOf = (schemas: ToolSchemas, tool: string, parameter: string): unknown => {
  const properties = schemas.get(tool)?.properties;
  const schema = isRecord(properties) ? properties[parameter] : undefined;
  return isRecord(schema) ? schema.type : undefined;
};

/** The form writes values without quotes: only the schema can tell the text 5 from the number 5. */
const readValue = (text: string, type: unknown): unknown => {
  if (type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const readFunction = ([, name = '', body = '']: RegExpExecArray, schemas: ToolSchemas): ParsedCall | null => {
  const parameters = matchWhole(body.trim(), PARAMETER);
  if (parameters === null) return null;
  const values = parameters.map(
    ([, key = '', text = '']) => [key, readValue(text, typeOf(schemas, name, key))] as const,
  );
  return { name, arguments: JSON.stringify(Object.fromEntries(values)) };
};

/** Qwen3-Coder: `<tool_call><function=name><parameter=key>value</parameter>…</function></tool_call>`. */
export const qwen3Coder: ToolDialect = {
  open: '<tool_call>',
  close: '</tool_call>',
  parse: (body, schemas) => {
    const functions = matchWhole(body, FUNCTION) ?? [];
    const calls = functions.map((found) => readFunction(found, schemas)).filter((call) => call !== null);
    return functions.length > 0 && calls.length === functions.length ? calls : null;
  },
};
