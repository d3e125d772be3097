import type { TracingSettings } from '@app/config';
import type { ExportObserver } from './bounded-spans';
import { NO_TRACER, type Tracer } from './tracer';

const TRACES = '/v1/traces';

/** Where a collector takes spans, of its address with that path or without. */
export const tracesUrl = (endpoint: string): string => {
  const url = endpoint.replace(/\/+$/, '');
  return url.endsWith(TRACES) ? url : `${url}${TRACES}`;
};

/** The tracer that the settings ask for. OpenTelemetry is loaded only if they do: who traces nothing pays nothing for it. */
export const openTracer = async (app: string, settings: TracingSettings, observer: ExportObserver): Promise<Tracer> => {
  if (!settings.enabled) return NO_TRACER;
  const { OpenTelemetryTracer } = await import('./open-telemetry.js');
  const { endpoint, sampleRatio } = settings;
  return new OpenTelemetryTracer({ app, url: tracesUrl(endpoint), sampleRatio, ...observer });
};
