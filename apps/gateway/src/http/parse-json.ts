import { isUtf8 } from 'node:buffer';
import { OpenAiError } from '../errors/openai-error';
import { membersAt, scanObject, type JsonMember } from './scan-json';

/**
 * Levels of lists and objects in a body. What is deeper exhausts the stack of whoever walks it, here, at the model's server
 * and at every later reader of the stored turn.
 */
const MAX_DEPTH = 200;

/** A JSON object, parsed and as it is written. */
export interface ParsedObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly members: readonly JsonMember[];
}

const refuse = (message: string, cause?: unknown): OpenAiError =>
  new OpenAiError(400, 'invalid_json', `body: ${message}`, { param: 'body', cause });

/**
 * Parses a request's body.
 * @throws OpenAiError 400 for bytes that are not UTF-8 (read with marks in their place, the stored turn would not be what the
 * model saw), not JSON, too deep, or no object.
 */
export const parseJsonObject = (raw: Buffer): ParsedObject => {
  if (!isUtf8(raw)) throw refuse('is not valid UTF-8');
  const places = scanObject(raw, MAX_DEPTH);
  if (places === null) throw refuse(`is nested deeper than ${MAX_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(raw.toString('utf8'));
  } catch (cause) {
    throw refuse('is not valid JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('must be a JSON object');
  return { value: value as Readonly<Record<string, unknown>>, members: membersAt(raw, places) };
};
