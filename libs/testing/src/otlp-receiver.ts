import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface ReceivedLink {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span as a collector got it. */
export interface ReceivedSpan extends ReceivedLink {
  /** The app that it is of, by its resource's `service.name`. */
  readonly app: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** null: a root. */
  readonly parentSpanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly ReceivedLink[];
  readonly events: readonly string[];
  readonly isError: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A collector that keeps what it gets: OTLP over HTTP, in its JSON encoding. */
export interface OtlpReceiver {
  /** Its address, without /v1/traces. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was sent, as it came. */
  readonly bodies: readonly string[];
  /** Status of its answers; 200 at first. */
  status: number;
  close(): Promise<void>;
}

interface JsonValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}
type JsonAttributes = readonly { readonly key: string; readonly value: JsonValue }[];

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: JsonAttributes;
  readonly links?: readonly ReceivedLink[];
  readonly events?: readonly { readonly name: string }[];
  readonly status?: { readonly code?: number };
}

interface JsonExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: JsonAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
}

const NANOS_PER_MS = 1_000_000n;
const STATUS_ERROR = 2;

const valuesOf = (attributes: JsonAttributes = []): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue,
    ]),
  );

const spanOf = (app: string, span: JsonSpan): ReceivedSpan => ({
  app,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId || null,
  name: span.name,
  kind: span.kind,
  attributes: valuesOf(span.attributes),
  links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
  events: (span.events ?? []).map(({ name }) => name),
  isError: span.status?.code === STATUS_ERROR,
  startedAt: Number(BigInt(span.startTimeUnixNano) / NANOS_PER_MS),
  endedAt: Number(BigInt(span.endTimeUnixNano) / NANOS_PER_MS),
});

const spansIn = (body: string): ReceivedSpan[] =>
  (JSON.parse(body) as JsonExport).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const app = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(app, span)));
  });

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** Starts one on a free port of this machine. */
export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      const status = isTraces ? receiver.status : 404;
      if (status === 200) {
        bodies.push(body);
        spans.push(...spansIn(body));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    status: 200,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
};
