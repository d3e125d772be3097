/** The turn that a span is about. */
export const TURN_ID = 'openclaw_rl.turn.id';
/** By what a span's work has ended that was not done and did not fail. */
export const ENDED_BY = 'openclaw_rl.ended_by';
/** Of OpenTelemetry's conventions: what kind of error a span's work has ended with. */
export const ERROR_TYPE = 'error.type';

const CODE = /^[\w.-]{1,64}$/;

/** What may be told of an error: its code or its name. A message may quote what somebody said. */
export const errorType = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'number') return String(code);
  return typeof code === 'string' && CODE.test(code) ? code : error.name;
};
