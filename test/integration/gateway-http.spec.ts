import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { scopeOf } from '@app/contracts';
import { until } from '@app/testing';
import { installAuth } from '../../apps/gateway/src/auth/auth.hook';
import { ClientConnection } from '../../apps/gateway/src/chat/client-connection';
import type { GatewayRequest } from '../../apps/gateway/src/http/gateway-request';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('the key check', () => {
  let server: FastifyInstance;
  let base: string;
  beforeAll(async () => {
    server = fastify();
    installAuth(server, { apiKeys: ['key'], allowUnauthenticated: false });
    server.get('/v1/models', (request: GatewayRequest) => ({ scope: request.rlScope }));
    server.get('/healthz', () => ({ status: 'ok' }));
    base = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  it('lets a known key in and notes its scope', async () => {
    const reply = await fetch(`${base}/v1/models`, { headers: { authorization: 'Bearer key' } });
    await expect(reply.json()).resolves.toEqual({ scope: scopeOf({ apiKey: 'key' }) });
  });

  it.each(['/v1/models', '/v1/models?a=1', '/v1/nothing', '/%761/models', '/v%31/models'])(
    'answers %s without a key with 401 in the envelope of OpenAI',
    async (path) => {
      const reply = await fetch(base + path);
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      await expect(reply.json()).resolves.toMatchObject({
        error: { type: 'authentication_error', code: 'invalid_api_key' },
      });
    },
  );

  it('leaves the other routes open', async () => {
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
  });
});

/** One request to a server that hands its side of the connection to the test. */
interface Call {
  readonly server: ClientConnection;
  readonly client: ClientRequest;
  readonly answer: Promise<IncomingMessage>;
}

describe('ClientConnection', () => {
  let server: Server;
  let arrived: ((connection: ClientConnection) => void) | undefined;

  beforeAll(async () => {
    server = createServer((_request, response) => arrived?.(new ClientConnection(response)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  const call = async (): Promise<Call> => {
    const connection = new Promise<ClientConnection>((resolve) => (arrived = resolve));
    const client = httpRequest({ port: portOf(server), host: '127.0.0.1', agent: false });
    client.on('error', () => undefined);
    const answer = new Promise<IncomingMessage>((resolve) => client.once('response', resolve));
    client.end();
    return { server: await connection, client, answer };
  };

  const textOf = async (message: IncomingMessage): Promise<string> => {
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  };

  it('sends its head before the first piece exists', async () => {
    const { server: connection, answer } = await call();
    connection.setHeader('x-rl-turn-id', 't');
    expect(connection.headersSent).toBe(false);
    connection.beginStream(200, { 'content-type': 'text/event-stream' });
    const message = await answer;
    expect(message.headers).toMatchObject({ 'x-rl-turn-id': 't', 'content-type': 'text/event-stream' });
    expect(connection.headersSent).toBe(true);

    expect(connection.write('data: a\n\n')).toBe(true);
    expect(connection.write(Buffer.from('data: b\n\n'))).toBe(true);
    await expect(Promise.all([connection.end('data: [DONE]\n\n'), textOf(message)])).resolves.toEqual([
      true,
      'data: a\n\ndata: b\n\ndata: [DONE]\n\n',
    ]);
  });

  it('does not call a client gone that has its whole answer', async () => {
    const { server: connection, client, answer } = await call();
    const gone = jest.fn();
    connection.onGone(gone);
    connection.beginStream(200, {});
    await Promise.all([connection.end('all of it'), answer.then(textOf)]);
    client.destroy();
    await until(() => client.closed, { what: 'the connection is closed' });
    await connection.end();
    expect(gone).not.toHaveBeenCalled();
  });

  it.each([
    ['before the head', false],
    ['half-way', true],
  ])('says when its client goes %s, and takes nothing more', async (_when, begun) => {
    const { server: connection, client, answer } = await call();
    const gone = new Promise<void>((resolve) => {
      connection.onGone(resolve);
    });
    if (begun) {
      connection.beginStream(200, {});
      connection.write('a');
      await answer;
    }
    client.destroy();
    await gone;
    expect(connection.write('b')).toBe(true);
    await expect(connection.end('c')).resolves.toBe(false);
  });

  it('tells late listeners as well', async () => {
    const { server: connection, client } = await call();
    const first = new Promise<void>((resolve) => {
      connection.onGone(resolve);
    });
    client.destroy();
    await first;
    await new Promise<void>((resolve) => {
      connection.onGone(resolve);
    });
  });

  it('waits while its client reads slower than it is written to, and stops waiting when it goes', async () => {
    const { server: connection, client, answer } = await call();
    connection.beginStream(200, {});
    const message = await answer;
    message.pause();
    let begun = 0;
    const writer = (async () => {
      const piece = Buffer.alloc(1024 * 1024);
      for (; begun < 64; begun += 1) if (!connection.write(piece)) await connection.drained();
      return 'written';
    })();
    let seen = 0;
    const standsStill = (): boolean => {
      const still = begun === seen;
      seen = begun;
      return still && begun > 0;
    };
    const state = await Promise.race([writer, until(standsStill, { what: 'the writer waits' })]);
    expect(state).toBe(true);
    client.destroy();
    await expect(writer).resolves.toBe('written');
    await expect(connection.end()).resolves.toBe(false);
  });
});
