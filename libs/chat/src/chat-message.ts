/** One message of a chat request, as clients send it: only `role` is certain, everything else is the client's. */
export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
  tool_call_id?: unknown;
  [key: string]: unknown;
}

/** A JSON object, as opposed to an array, a scalar or null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of a text part (`{type: 'text', text}`), or null for any other part. */
export const textOfPart = (part: unknown): string | null =>
  isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : null;
