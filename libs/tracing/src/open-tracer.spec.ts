import { TracingSettings } from '@app/config';
import { openTracer, tracesUrl } from './open-tracer';
import { NO_TRACER } from './tracer';

const OBSERVER = { onDropped: () => undefined, onOutage: () => undefined, onRecovery: () => undefined };

describe('openTracer', () => {
  it('loads OpenTelemetry only where tracing is on', async () => {
    const loaded = jest.fn();
    jest.doMock('./open-telemetry', () => {
      loaded();
      return jest.requireActual<object>('./open-telemetry');
    });
    await expect(openTracer('gateway', new TracingSettings(), OBSERVER)).resolves.toBe(NO_TRACER);
    expect(loaded).not.toHaveBeenCalled();
    const settings = Object.assign(new TracingSettings(), { enabled: true });
    const tracer = await openTracer('gateway', settings, OBSERVER);
    expect(loaded).toHaveBeenCalledTimes(1);
    await tracer.close();
  });
});

describe('tracesUrl', () => {
  it.each(['http://c:4318', 'http://c:4318/', 'http://c:4318/v1/traces', 'http://c:4318/v1/traces/'])(
    'of %s is where it takes spans',
    (endpoint) => {
      expect(tracesUrl(endpoint)).toBe('http://c:4318/v1/traces');
    },
  );

  it('keeps a path before it', () => {
    expect(tracesUrl('https://gate.example.com/otlp')).toBe('https://gate.example.com/otlp/v1/traces');
  });
});
