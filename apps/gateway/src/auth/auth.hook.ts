import type { FastifyInstance } from 'fastify';
import type { GatewayRequest } from '../http/gateway-request';
import { toOpenAiError } from '../errors/to-openai-error';
import { authenticate, type AccessRules } from './authenticate';
import { assertSameSite } from './same-site';

const GUARDED = '/v1/';

/** Checks the key of every `/v1/` request before its body is read. */
export const installAuth = (server: FastifyInstance, rules: AccessRules): void => {
  server.addHook('onRequest', (request: GatewayRequest, reply, done) => {
    // The route's own path: the request may write the same path in percent escapes.
    if (!(request.routeOptions.url ?? request.url).startsWith(GUARDED)) {
      done();
      return;
    }
    try {
      if (rules.apiKeys.length === 0 && !rules.allowUnauthenticated) assertSameSite(request.headers);
      request.rlScope = authenticate(request.headers.authorization, request.ip, rules);
      done();
    } catch (error) {
      const { status, body } = toOpenAiError(error);
      void reply.status(status).header('www-authenticate', 'Bearer').send(body);
    }
  });
};
