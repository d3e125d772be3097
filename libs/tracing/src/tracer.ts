/** What a span says of its work: names, numbers and ids, never what somebody has written. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** What the work is to others; `internal` by default. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Id of the turn that the work is about. Outside of the turn's own tree its spans are linked to it. */
  readonly turn?: string | undefined;
  /**
   * `traceparent` of what the work was asked for by; null: by nobody, it begins a tree. By default that is the running span, if it
   * is about no other turn.
   */
  readonly parent?: string | null;
  readonly attributes?: Attributes;
  /** When the work began, if that was before; milliseconds since 1970. */
  readonly since?: number;
  /** Whether an error is one; what ends the work in another way is told by its name alone. By default all are. */
  readonly isFault?: (error: unknown) => boolean;
}

/** Runs work in a context that was kept. */
export type Run = <Result>(work: () => Result) => Result;

/**
 * Spans of one app. Whatever runs inside of a span, however often it is awaited, finds it as the running one; without a span, and
 * where tracing is off, everything here does nothing but the work.
 */
export interface Tracer {
  /** Whether a span is running. */
  readonly isRunning: boolean;
  /** W3C `traceparent` of the running span, for those who work on behalf of it; undefined: there is none. */
  readonly traceparent: string | undefined;
  /**
   * Runs the work of serving a turn: the root of the turn's tree, whose ids follow from the turn's.
   *
   * @param linked `traceparent` of the client's own trace, which goes on over many turns
   */
  turn<Result>(
    turnId: string,
    options: Omit<SpanOptions, 'turn' | 'parent'> & { readonly name: string; readonly linked?: string | undefined },
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Runs work as a span. What the work throws is thrown. */
  span<Result>(name: string, options: SpanOptions, work: () => Promise<Result>): Promise<Result>;
  /** Says more of the running span; with `error.type` that it failed. */
  note(attributes: Attributes): void;
  /** Links the running span to turns. */
  link(turnIds: readonly string[]): void;
  /** A moment of the running span. */
  event(name: string): void;
  /** What is running here, for work that is taken up somewhere else. */
  keep(): Run;
  /** Sends what has not been sent, for as long as that takes no more than a moment. */
  close(): Promise<void>;
}

const runHere: Run = (work) => work();

/** Does the work and nothing else. */
export const NO_TRACER: Tracer = {
  isRunning: false,
  traceparent: undefined,
  turn: (_turnId, _options, work) => work(),
  span: (_name, _options, work) => work(),
  note: () => undefined,
  link: () => undefined,
  event: () => undefined,
  keep: () => runHere,
  close: () => Promise.resolve(),
};
