import { isRecord } from '@app/chat';

type Json = Record<string, unknown>;

/** A string of a JSON text, or a number that JSON does not have. */
const STRING_OR_NON_NUMBER = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

const parseObject = (text: string): Json | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
};

/** What an engine sent, and whether it had to be put right to be read. */
export interface ParsedAnswer {
  readonly answer: Json;
  readonly mended: boolean;
}

/**
 * Reads an answer, or one chunk of it. Python servers print a log-prob of minus infinity as `-Infinity`, which is no JSON:
 * with `mend` such numbers are read as null. null for what is no JSON object even so.
 */
export const parseAnswer = (text: string, mend: boolean): ParsedAnswer | null => {
  const answer = parseObject(text);
  if (answer !== null) return { answer, mended: false };
  if (!mend) return null;
  const mended = parseObject(text.replace(STRING_OR_NON_NUMBER, (match) => (match.startsWith('"') ? match : 'null')));
  return mended === null ? null : { answer: mended, mended: true };
};
