import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Spans that wait or are under way, all together. */
const MOST_WAITING = 2048;
const BATCH = 512;
const SEND_AFTER_MS = 1000;

/** What is told of the way to the collector. */
export interface ExportObserver {
  readonly onDropped: (cause: 'queue_full' | 'not_sent', count: number) => void;
  /** The first batch that could not be sent; and the first one that could be sent again. */
  readonly onOutage: (error: unknown) => void;
  readonly onRecovery: () => void;
}

/**
 * Sends spans in batches, on the side. Whatever the collector does, nobody waits for it and no more than so many spans are kept:
 * those that find no room, or could not be sent, are dropped and counted.
 */
export class BoundedSpans implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private waiting = 0;
  private isOut = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly observer: ExportObserver,
  ) {
    this.batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => {
          this.send(spans, done);
        },
        shutdown: () => exporter.shutdown(),
      },
      maxQueueSize: MOST_WAITING,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: SEND_AFTER_MS,
    });
  }

  onStart(): void {
    // A span is sent when it has ended.
  }

  onEnd(span: ReadableSpan): void {
    if (this.waiting >= MOST_WAITING) {
      this.observer.onDropped('queue_full', 1);
      return;
    }
    this.waiting += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }

  private send(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, ({ code, error }) => {
      this.waiting -= spans.length;
      if (code === ExportResultCode.SUCCESS) this.noteSent();
      else this.noteLost(spans.length, error);
      // What becomes of a failure is decided here.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  private noteSent(): void {
    if (this.isOut) this.observer.onRecovery();
    this.isOut = false;
  }

  private noteLost(count: number, error: unknown): void {
    this.observer.onDropped('not_sent', count);
    if (!this.isOut) this.observer.onOutage(error);
    this.isOut = true;
  }
}
