import { Controller, Get, Global, Module, type INestApplication } from '@nestjs/common';
import { Agent, get } from 'node:http';
import { createServer, type Server } from 'node:net';
import { until } from '@app/testing';
import { HealthModule, runApp, Telemetry, TelemetryModule, type Readiness } from '@app/telemetry';
import { Opened } from '../support/opened';

const STATE = Symbol('STATE');
const state: { current: Readiness } = { current: { ready: true, status: 'ok', detail: {} } };

@Global()
@Module({ providers: [{ provide: STATE, useValue: state }], exports: [STATE] })
class StateModule {}

@Module({
  imports: [
    StateModule,
    TelemetryModule,
    HealthModule.forApp({
      app: 'prm-judge',
      inject: [STATE],
      check: (given: typeof state) => () => Promise.resolve(given.current),
    }),
  ],
})
class TinyApp {}

const opened = new Opened();
afterAll(() => opened.close());

describe('an app', () => {
  let app: INestApplication;
  let url: string;
  let said: string;
  const configure = jest.fn();

  beforeAll(async () => {
    const write = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    app = opened.add(
      await runApp({
        module: TinyApp,
        host: '127.0.0.1',
        port: 0,
        logLevel: 'error',
        logFormat: 'text',
        configure,
      }),
    );
    said = write.mock.calls.map(([text]) => String(text)).join('');
    write.mockRestore();
    url = await app.getUrl();
  });

  it('says on one line where it is, at every log level, and is configured before it listens', () => {
    expect(said).toBe(`ready on ${url}\n`);
    expect(configure).toHaveBeenCalledTimes(1);
  });

  it('is alive', async () => {
    const reply = await fetch(`${url}/healthz`);
    expect(reply.status).toBe(200);
    await expect(reply.json()).resolves.toEqual({ status: 'ok' });
  });

  it.each<[number, Readiness]>([
    [200, { ready: true, status: 'ok', detail: { bus: 'up' } }],
    [200, { ready: true, status: 'degraded', detail: { bus: 'down' } }],
    [503, { ready: false, status: 'unavailable', detail: { policy: 'unreachable' } }],
  ])('answers %d by its own check', async (code, readiness) => {
    state.current = readiness;
    const reply = await fetch(`${url}/readyz`);
    expect(reply.status).toBe(code);
    await expect(reply.json()).resolves.toEqual({ status: readiness.status, ...readiness.detail });
  });

  it('shows its own metrics in the text format of Prometheus', async () => {
    app.get(Telemetry).metrics.busUp.set(1);
    const reply = await fetch(`${url}/metrics`);
    expect(reply.headers.get('content-type')).toContain('text/plain');
    const text = await reply.text();
    expect(text).toContain('openclaw_rl_bus_up 1');
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('does not start on a port that is taken', async () => {
    const holder: Server = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    try {
      const second = runApp({ module: TinyApp, host: '127.0.0.1', port, logLevel: 'error', logFormat: 'text' });
      await expect(second).rejects.toThrow(String(port));
    } finally {
      await new Promise((resolve) => holder.close(resolve));
    }
  });
});

describe('the end of an app', () => {
  let server: Server;

  @Controller()
  class WaitingController {
    /** Answers when the app has begun to end: its server listens no more. */
    @Get('wait')
    async wait(): Promise<string> {
      await until(() => !server.listening, { what: 'the server listens no more' });
      return 'over';
    }
  }

  @Module({ imports: [TinyApp], controllers: [WaitingController] })
  class WaitingApp {}

  it('does not wait for a client that keeps its connection, and gives it the reply that was under way', async () => {
    const write = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const options = { host: '127.0.0.1', port: 0, logLevel: 'error', logFormat: 'text' } as const;
    const waiting = opened.add(await runApp({ module: WaitingApp, ...options }));
    write.mockRestore();
    server = waiting.getHttpServer() as Server;
    const agent = new Agent({ keepAlive: true });
    opened.add({
      stop: () => {
        agent.destroy();
      },
    });
    const url = await waiting.getUrl();
    const arrived = new Promise((resolve) => server.once('request', resolve));
    const reply = new Promise<string>((resolve, reject) => {
      get(`${url}/wait`, { agent }, (response) => {
        let text = '';
        response.on('data', (data: Buffer) => (text += data.toString()));
        response.on('end', () => {
          resolve(text);
        });
      }).on('error', reject);
    });
    await arrived;
    await waiting.close();
    await expect(reply).resolves.toBe('over');
  });
});
