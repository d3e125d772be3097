import { gatewayAdapter } from '../../apps/gateway/src/http/gateway-adapter';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { ask, sendRaw, type Answer } from './support/ask';
import { countCase } from './support/cases';
import { clientErrorOf, isHealthy, openAiErrorOf } from './support/oracle';
import { bodyOf, startWorld, type World } from './support/world';

const SLOW_MS = 500;

describe('requests that are hardly HTTP', () => {
  let world: World;
  let hasty: TestGateway;

  beforeAll(async () => {
    world = await startWorld();
    hasty = await startGateway(
      {
        NATS_URL: world.nats.url,
        OPENCLAW_RL_NATS_STORE_GB: '1',
        OPENCLAW_RL_SERVER_BASE_URL: world.upstream.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'the-model',
        OPENCLAW_RL_GATEWAY_BODY_LIMIT_MB: '1',
      },
      gatewayAdapter(SLOW_MS),
    );
  });
  afterAll(async () => {
    await hasty.close();
    await world.close();
  });
  afterEach(async () => {
    expect(await isHealthy(world.gateway.url)).toBe(true);
  });

  const raw = async (pieces: readonly (Buffer | string)[], base = world.gateway.url) => {
    countCase();
    const { status, head, body } = await sendRaw(base, pieces);
    return { status, head, body: Buffer.from(body, 'latin1') };
  };

  const post = (headers: readonly string[], body: Buffer | string = '', path = '/v1/chat/completions') => [
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-request-id: raw\r\nconnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`,
    body,
  ];

  const body = bodyOf();
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const json = 'content-type: application/json';

  it.each<[string, (Buffer | string)[]]>([
    ['no HTTP at all', ['hello\r\n\r\n']],
    ['bytes of TLS', [Buffer.from('16030100a5010000a10303', 'hex')]],
    ['an unknown method', ['BREW /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n']],
    ['HTTP/3.0', ['GET /v1/models HTTP/3.0\r\nhost: 127.0.0.1\r\n\r\n']],
    ['a space in the path', ['GET /v1/mo dels HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n']],
    ['a NUL in a header', post([json, length, 'x-session-id: a\0b'], body)],
    ['a bare CR in a header', post([json, length, 'x-session-id: a\rb: c'], body)],
    ['a folded header', post([json, length, 'x-session-id: a\r\n b'], body)],
    ['headers of 100 KB', post([json, length, `x-session-id: ${'x'.repeat(100_000)}`], body)],
    ['two lengths', post([json, 'content-length: 5', 'content-length: 6'], body)],
    ['a length and chunks', post([json, length, 'transfer-encoding: chunked'], body)],
    ['a negative length', post([json, 'content-length: -1'], body)],
    ['a length that is no number', post([json, 'content-length: 0x10'], body)],
    ['an unknown transfer encoding', post([json, 'transfer-encoding: gzip'], body)],
    ['a chunk length that is none', post([json, 'transfer-encoding: chunked'], 'zz\r\nabc\r\n0\r\n\r\n')],
    ['a chunk that is longer than it says', post([json, 'transfer-encoding: chunked'], `5\r\n${body}\r\n0\r\n\r\n`)],
  ])('refuses %s in the envelope of OpenAI and hangs up', async (_, pieces) => {
    clientErrorOf(await raw(pieces));
  });

  it('refuses a request without a host, which Node does by itself', async () => {
    expect((await raw(['GET /v1/models HTTP/1.1\r\n\r\n'])).status).toBe(400);
  });

  it('takes a body in chunks of any size', async () => {
    const bytes = Buffer.from(bodyOf({ messages: '[{"role":"user","content":"größer 🦀"}]' }));
    for (const size of [1, 2, 3, 7, 50, 1000]) {
      const pieces: (Buffer | string)[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        const piece = bytes.subarray(at, at + size);
        pieces.push(`${piece.length.toString(16)}\r\n`, piece, '\r\n');
      }
      const answer = await raw([...post([json, 'transfer-encoding: chunked']), ...pieces, '0\r\n\r\n']);
      expect(answer.status).toBe(200);
    }
  });

  it('refuses a body that is longer than it says, as two requests of which neither is one', async () => {
    clientErrorOf(await raw(post([json, 'content-length: 10'], body)));
  });

  it('cuts a body over the limit off with 413, with and without a length', async () => {
    const big = bodyOf({ x: JSON.stringify('x'.repeat(1_100_000)) });
    const said = await raw(post([json, `content-length: ${big.length}`], big), hasty.url);
    expect(openAiErrorOf(said)).toMatchObject({ code: 'body_too_large' });
    const chunked = `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`;
    const unsaid = await raw(post([json, 'transfer-encoding: chunked'], chunked), hasty.url);
    expect(unsaid.status).toBe(413);
    const lie = await raw(post([json, 'content-length: 99999999999'], 'x'), hasty.url);
    expect(lie.status).toBe(413);
  });

  it.each<[string, (Buffer | string)[]]>([
    ['headers that never end', ['POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n']],
    ['a body that never ends', post([json, length], body.slice(0, 20))],
    ['chunks that never end', post([json, 'transfer-encoding: chunked'], '5\r\n{"mes\r\n')],
    ['a wait for 100-continue', post([json, length, 'expect: 100-continue'])],
  ])('does not wait for ever for %s', async (what, pieces) => {
    const begun = performance.now();
    const answer = await raw(pieces, hasty.url);
    if (!what.includes('100')) expect(openAiErrorOf(answer).code).toBe('request_timeout');
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('waits no longer than five minutes by default', () => {
    const server = world.gateway.app.getHttpServer();
    expect(server.requestTimeout).toBe(300_000);
    expect(server.headersTimeout).toBeGreaterThan(0);
  });

  it.each([
    'application/json; charset=latin1',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'garbage',
    'a/b/c; ;;=',
    '',
  ])('reads a body by its bytes, or refuses it, whatever type %j it says to be of', async (type) => {
    countCase();
    const answer = await ask(world.gateway.url, {
      path: '/v1/chat/completions',
      headers: { 'content-type': type, 'x-request-id': 'typed' },
      body,
    });
    if (answer.status !== 200) clientErrorOf(answer);
  });

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'takes a body of JSON that says it is %s',
    async (type) => {
      countCase();
      const headers = { 'content-type': type, 'x-request-id': 'typed' };
      const chat = await ask(world.gateway.url, { path: '/v1/chat/completions', headers, body });
      expect(chat.status).toBe(200);
      const odd = await ask(world.gateway.url, { path: '/v1/sessions/typed/end', headers, body: 'not json' });
      expect(clientErrorOf(odd).param).toBe('body');
    },
  );

  const PATHS = [
    '/',
    '//',
    '/v1',
    '/v1/',
    '/v1/chat/completions/',
    '/v1/chat/completions/../../models',
    '/v1//chat/completions',
    '/v1/%zz',
    '/v1/sessions/%ff%fe/end',
    '/v1/sessions/%zz/end',
    '/v1/sessions//end',
    '/v1/sessions/a/b/end',
    `/v1/sessions/${'x'.repeat(513)}/end`,
    `/v1/sessions/${'x'.repeat(5000)}/end`,
    '/v1/sessions/',
    '/V1/CHAT/COMPLETIONS',
    '/v1/chat/completions%00',
    '/v1/models?x=%zz',
    '/v1/embeddings',
    '/v1/__proto__',
    '/v1/constructor',
    `/${'a/'.repeat(2000)}`,
  ];

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
    'answers %s to paths that are no routes in the envelope of OpenAI',
    async (method) => {
      for (const path of PATHS) {
        countCase();
        const answer: Answer = await ask(world.gateway.url, { method, path, body: method === 'GET' ? '' : '{}' });
        if (answer.status >= 400) clientErrorOf(answer);
        // A list of models is the only good answer among these.
        else expect([method, path.split('?')[0]]).toEqual(['GET', '/v1/models']);
      }
    },
  );

  it('gives keyless callers nothing but 401, whatever they ask', async () => {
    const locked = await world.start({ OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-one' });
    const keys = [
      '',
      'Bearer',
      'Bearer ',
      'Bearer sk-on',
      'Bearer sk-one sk-one',
      'Basic sk-one',
      'sk-one',
      'Bearer __proto__',
      `Bearer ${'x'.repeat(8000)}`,
    ];
    for (const authorization of keys) {
      countCase();
      const answer = await ask(locked.url, { path: '/v1/chat/completions', headers: { authorization }, body: '{' });
      expect(answer.status).toBe(401);
      expect(openAiErrorOf(answer).type).toBe('authentication_error');
    }
  });
});
