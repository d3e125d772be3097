import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createContextKey,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ENDED_BY, ERROR_TYPE, errorType, TURN_ID } from './attributes';
import { BoundedSpans, type ExportObserver } from './bounded-spans';
import { ChosenIds } from './chosen-ids';
import { turnSpanIds, type SpanIds } from './turn-ids';
import { TurnSampler } from './turn-sampler';
import type { Attributes, Run, SpanOptions, Tracer } from './tracer';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** In a context: the turn that its span is about. */
const TURN = createContextKey('turn');
/** How long an app's end waits for the last spans to be sent, in milliseconds. */
const CLOSE_WITHIN_MS = 2000;

export interface OpenTelemetryOptions extends ExportObserver {
  readonly app: string;
  /** Where spans are sent by OTLP over HTTP, e.g. http://127.0.0.1:4318/v1/traces. */
  readonly url: string;
  /** Share of the turns that are traced, from 0 to 1. */
  readonly sampleRatio: number;
}

/** Spans by OpenTelemetry's SDK. Nothing of it is registered for the process: several apps may live in one. */
export class OpenTelemetryTracer implements Tracer {
  private readonly running = new AsyncLocalStorage<Context | undefined>();
  private readonly ids = new ChosenIds(new RandomIdGenerator());
  private readonly provider: TracerProvider;
  private readonly sdk: SdkTracer;

  constructor({ app, url, sampleRatio, ...observer }: OpenTelemetryOptions) {
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.namespace': 'openclaw-rl', 'service.name': app }),
      idGenerator: this.ids,
      sampler: new ParentBasedSampler({ root: new TurnSampler(new TraceIdRatioBasedSampler(sampleRatio)) }),
      spanProcessors: [new BoundedSpans(new OTLPTraceExporter({ url }), observer)],
    });
    this.sdk = this.provider.getTracer('openclaw-rl');
  }

  get isRunning(): boolean {
    return this.running.getStore() !== undefined;
  }

  get traceparent(): string | undefined {
    const context = this.runningSpan?.spanContext();
    return context === undefined ? undefined : `00-${context.traceId}-${context.spanId}-0${context.traceFlags}`;
  }

  turn<Result>(
    turnId: string,
    { name, linked, ...options }: Parameters<Tracer['turn']>[1],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const client = linked === undefined ? null : parseTraceParent(linked);
    const start = { ...options, turn: turnId, links: client === null ? [] : [{ context: client }] };
    const span = this.ids.choose(turnSpanIds(turnId), () => this.start(name, start, ROOT_CONTEXT));
    return this.run(span, ROOT_CONTEXT.setValue(TURN, turnId), options, work);
  }

  span<Result>(name: string, options: SpanOptions, work: () => Promise<Result>): Promise<Result> {
    const { turn } = options;
    const around = this.running.getStore();
    const parent = this.parentOf(options, around);
    const links: Link[] = [];
    const isTold = turn === undefined || parent.getValue(TURN) === turn;
    if (!isTold) links.push(...this.linksTo([turn], trace.getSpanContext(parent)));
    const cause = parent === ROOT_CONTEXT && around !== undefined ? trace.getSpanContext(around) : undefined;
    if (cause !== undefined) links.push({ context: cause });
    const span = this.start(name, { ...options, links }, parent);
    return this.run(span, turn === undefined ? parent : parent.setValue(TURN, turn), options, work);
  }

  note(attributes: Attributes): void {
    const span = this.runningSpan;
    span?.setAttributes(attributes);
    if (ERROR_TYPE in attributes) span?.setStatus({ code: SpanStatusCode.ERROR });
  }

  link(turnIds: readonly string[]): void {
    this.runningSpan?.addLinks(this.linksTo(turnIds));
  }

  event(name: string): void {
    this.runningSpan?.addEvent(name);
  }

  keep(): Run {
    const context = this.running.getStore();
    return (work) => this.running.run(context, work);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    await Promise.race([this.provider.shutdown(), late]);
    clearTimeout(timer);
  }

  private get runningSpan(): Span | undefined {
    const context = this.running.getStore();
    return context === undefined ? undefined : trace.getSpan(context);
  }

  /** The context that a span begins in: of who asked for it, or of what is running, where that is not about another turn. */
  private parentOf({ parent, turn }: SpanOptions, around: Context | undefined): Context {
    if (parent !== undefined) {
      const asked = parent === null ? null : parseTraceParent(parent);
      return asked === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...asked, isRemote: true });
    }
    if (around === undefined || (turn !== undefined && around.getValue(TURN) !== turn)) return ROOT_CONTEXT;
    return around;
  }

  /** Links to where turns were served; none from a turn's own tree. */
  private linksTo(turnIds: readonly string[], from?: SpanContext): Link[] {
    return turnIds.flatMap((turnId) => {
      const ids = turnSpanIds(turnId);
      return ids === null || ids.traceId === from?.traceId ? [] : [{ context: this.linked(ids) }];
    });
  }

  private linked(ids: SpanIds): SpanContext {
    return { ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  }

  private start(
    name: string,
    { kind = 'internal', turn, attributes, since, links }: SpanOptions & { readonly links: Link[] },
    parent: Context,
  ): Span {
    const about = turn === undefined ? attributes : { ...attributes, [TURN_ID]: turn };
    const startTime = since === undefined ? {} : { startTime: since };
    return this.sdk.startSpan(name, { kind: KINDS[kind], attributes: { ...about }, links, ...startTime }, parent);
  }

  private run<Result>(
    span: Span,
    context: Context,
    { isFault = () => true }: SpanOptions,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.running.run(trace.setSpan(context, span), async () => {
      try {
        return await work();
      } catch (error) {
        const type = errorType(error);
        this.note(isFault(error) ? { [ERROR_TYPE]: type } : { [ENDED_BY]: type });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
