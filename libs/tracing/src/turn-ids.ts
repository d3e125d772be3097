const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Ids of a span, as W3C writes them: 32 and 16 hexadecimal digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * The ids of the span in which a turn was served: the turn's id without dashes names its trace, the second half of that its root.
 * So who knows a turn finds its trace, and links to it without having seen it. null: this is no id that a gateway gives.
 */
export const turnSpanIds = (turnId: string): SpanIds | null => {
  if (!UUID.test(turnId)) return null;
  const traceId = turnId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
};
