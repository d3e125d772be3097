import { createConnection } from 'node:net';
import { freePort, startNatsServer, until, type NatsServer } from '@app/testing';

/** The INFO block that nats-server sends on connect, undefined when nothing listens. */
function greet(port: number): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('data', (data) => {
      socket.destroy();
      resolve(JSON.parse(data.toString().split('\r\n')[0]!.slice('INFO '.length)));
    });
    socket.once('error', () => {
      resolve(undefined);
    });
  });
}

describe('startNatsServer', () => {
  let server: NatsServer | undefined;
  afterEach(() => server?.stop());

  it('runs with JetStream and 8 MB payloads, and keeps its port over a crash and a restart', async () => {
    server = await startNatsServer();
    await expect(greet(server.port)).resolves.toMatchObject({ jetstream: true, max_payload: 8 * 1024 * 1024 });

    const before = server.pid;
    await server.kill();
    await expect(greet(server.port)).resolves.toBeUndefined();

    await server.restart();
    expect(server.pid).not.toBe(before);
    await until(() => greet(server!.port), { what: 'the server is back on its port' });
  });

  it('takes a given port and further configuration', async () => {
    const port = await freePort();
    server = await startNatsServer({ port, config: 'max_connections: 7' });
    expect(server.url).toBe(`nats://127.0.0.1:${port}`);
    await until(() => greet(port), { what: 'the configured port answers' });
  });

  it('says so when the configuration is refused', async () => {
    await expect(startNatsServer({ config: 'no_such_setting: {' })).rejects.toThrow(/ended with code 1/);
  });
});
