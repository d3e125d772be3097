import { fastify, type FastifyInstance } from 'fastify';
import { scopeOf } from '@app/contracts';
import type { GatewayRequest } from '../http/gateway-request';
import { installAuth } from './auth.hook';

describe('installAuth', () => {
  let server: FastifyInstance;
  beforeEach(() => {
    server = fastify();
    installAuth(server, { apiKeys: ['key'], allowUnauthenticated: false });
    server.get('/v1/models', (request: GatewayRequest) => ({ scope: request.rlScope }));
    server.get('/healthz', () => ({ status: 'ok' }));
  });
  afterEach(() => server.close());

  it('lets a known key in and notes its scope', async () => {
    const reply = await server.inject({ url: '/v1/models', headers: { authorization: 'Bearer key' } });
    expect(reply.json()).toEqual({ scope: scopeOf({ apiKey: 'key' }) });
  });

  it.each(['/v1/models', '/v1/models?a=1', '/v1/nothing', '/%761/models', '/v%31/models'])(
    'answers %s without a key in OpenAI’s envelope, with 401',
    async (url) => {
      const reply = await server.inject({ url });
      expect(reply.statusCode).toBe(401);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
      expect(reply.json()).toMatchObject({ error: { type: 'authentication_error', code: 'invalid_api_key' } });
    },
  );

  it('leaves the other routes open', async () => {
    expect((await server.inject({ url: '/healthz' })).statusCode).toBe(200);
  });
});
