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

/** JSON schema's names of a value's kind. */
const kindsOf = (value: unknown): readonly string[] => {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['number', 'integer'] : [typeof value];
};

/** Whether a text of this value is meant as text all the same. */
const isText = (value: unknown, type: unknown): boolean => {
  const types = [type].flat();
  if (!types.includes('string')) return false;
  return typeof value === 'string' || !kindsOf(value).some((kind) => types.includes(kind));
};

/** A value as JSON. The form writes it without quotes: only the schema can tell the text 5 from the number 5. */
const jsonOf = (text: string, type: unknown): string => {
  try {
    // As it is written: printing a number again may change it.
    if (!isText(JSON.parse(text), type)) return text.trim();
  } catch {
    // What is no JSON is text.
  }
  return JSON.stringify(text);
};

const readFunction = ([, name = '', body = '']: RegExpExecArray, schemas: ToolSchemas): ParsedCall | null => {
  const parameters = matchWhole(body.trim(), PARAMETER);
  if (parameters === null) return null;
  const values = new Map(
    parameters.map(([, key = '', text = '']) => [key, jsonOf(text, typeOf(schemas, name, key))] as const),
  );
  return { name, arguments: `{${[...values].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}` };
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
