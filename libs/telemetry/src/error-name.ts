/** What may be told of any error: its name. A message may quote what somebody said. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Name and message of an error of this project's own or of the system, which say what is wrong. A parser's message stays out of it: it quotes what it was given. */
export const describeError = (error: unknown): string =>
  error instanceof Error && !(error instanceof SyntaxError) ? `${error.name}: ${error.message}` : errorName(error);

/** Name of an error and where it came from, for what should not have happened: its message could be anything. */
export const errorPlace = (error: unknown): string => {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return [error.name, ...frames].join('\n');
};
