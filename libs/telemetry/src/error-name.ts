/** What may be told of any error: its name. A message may quote what somebody said. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
