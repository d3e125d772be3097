import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { BoundedSpans } from './bounded-spans';

const MOST_WAITING = 2048;

describe('BoundedSpans', () => {
  const told: unknown[] = [];
  let answer: (result: ExportResult) => void;

  /** Says nothing until it is told to. */
  const silent: SpanExporter = {
    export: (_spans, done) => {
      answer = done;
    },
    shutdown: () => Promise.resolve(),
  };

  const bounded = (): { end: (count: number) => void; spans: BoundedSpans } => {
    const spans = new BoundedSpans(silent, {
      onDropped: (...dropped) => told.push(dropped),
      onOutage: (error) => told.push(['outage', (error as Error).message]),
      onRecovery: () => told.push(['recovery']),
    });
    const tracer = new TracerProvider({ spanProcessors: [spans] }).getTracer('test');
    const end = (count: number): void => {
      for (let i = 0; i < count; i += 1) tracer.startSpan('span').end();
    };
    return { end, spans };
  };

  beforeEach(() => {
    told.length = 0;
  });

  it('keeps no more spans than it has room for, those under way among them, and counts the others', () => {
    const { end } = bounded();
    end(MOST_WAITING);
    expect(told).toEqual([]);
    end(2);
    expect(told).toEqual([
      ['queue_full', 1],
      ['queue_full', 1],
    ]);
  });

  it('counts what could not be sent, tells of the outage once, and of its end', async () => {
    const { end, spans } = bounded();
    const send = async (result: ExportResult): Promise<void> => {
      end(3);
      const sent = spans.forceFlush();
      answer(result);
      await sent;
    };
    const refused = { code: ExportResultCode.FAILED, error: new Error('refused') };
    await send(refused);
    await send(refused);
    await send({ code: ExportResultCode.SUCCESS });
    await send({ code: ExportResultCode.SUCCESS });
    expect(told).toEqual([['not_sent', 3], ['outage', 'refused'], ['not_sent', 3], ['recovery']]);
    // There is room again for all that were sent or lost.
    end(MOST_WAITING);
    expect(told).toHaveLength(4);
  });
});
