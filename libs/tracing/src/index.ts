export { ENDED_BY, ERROR_TYPE, errorType, TURN_ID } from './attributes';
export type { ExportObserver } from './bounded-spans';
export { openTracer } from './open-tracer';
export { NO_TRACER, type Attributes, type Run, type SpanOptions, type Tracer } from './tracer';
export { turnSpanIds, type SpanIds } from './turn-ids';
