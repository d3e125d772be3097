import { memberTexts, parseObject } from './json-members';
import type { ParsedCall } from './tool-dialect';

/** Some models write the arguments' object as a JSON string. */
const argumentsText = (value: unknown, text: string): string | null => {
  if (typeof value === 'string') return parseObject(value) === null ? null : value;
  return parseObject(text) === null ? null : text;
};

/** A call written as `{"name": …, "arguments": {…}}`, or with `parameters`; null for anything else. */
export const parseJsonCall = (json: string): ParsedCall | null => {
  const call = parseObject(json);
  if (call === null || typeof call.name !== 'string' || call.name === '') return null;
  const member = call.arguments === undefined ? 'parameters' : 'arguments';
  const value = call[member];
  if (value === undefined) return { name: call.name, arguments: '{}' };
  const text = argumentsText(value, memberTexts(json).get(member) ?? '');
  return text === null ? null : { name: call.name, arguments: text };
};
