import type { IdGenerator } from '@opentelemetry/sdk-trace';
import type { SpanIds } from './turn-ids';

/** Ids of new spans: random ones, but for a span whose ids are chosen. */
export class ChosenIds implements IdGenerator {
  private chosen: SpanIds | null = null;

  constructor(private readonly random: IdGenerator) {}

  /** Starts a span with these ids; null: with random ones. */
  choose<Span>(ids: SpanIds | null, start: () => Span): Span {
    this.chosen = ids;
    try {
      return start();
    } finally {
      this.chosen = null;
    }
  }

  generateTraceId(): string {
    return this.chosen?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.chosen?.spanId ?? this.random.generateSpanId();
  }
}
