import 'reflect-metadata';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { freePort, startEngineDouble, type EngineDouble, type EngineDoubleOptions } from '@app/testing';
import { consult } from '../support/doctor';
import { startFullListener } from '../support/full-listener';
import { makeCertificate } from '../support/make-certificate';
import { OddNats } from '../support/odd-nats';
import { OddServer, type OddAnswer } from '../support/odd-server';
import { Opened } from '../support/opened';

const opened = new Opened();
afterEach(() => opened.close());

const engine = async (options: EngineDoubleOptions = {}): Promise<EngineDouble> =>
  opened.add(await startEngineDouble(options));
const odd = (answer: (path: string) => OddAnswer | null, host?: string): Promise<OddServer> =>
  opened.add(new OddServer(answer)).start(host);
// Port 1 is nobody's: a gateway that a developer runs on the default one would be asked for its route.
const policy = (url: string, more: Record<string, string> = {}) => ({
  env: { PORT: '1', OPENCLAW_RL_SERVER_BASE_URL: url, OPENCLAW_RL_SERVER_POLICY_MODEL: 'double', ...more },
});
const withKey = (url: string, key: string) =>
  policy(url, { OPENCLAW_RL_SERVER_API_KEY_ENV: 'POLICY_KEY', POLICY_KEY: key });

describe("the doctor's look at the policy", () => {
  it('finds nothing wrong with an engine that is in order', async () => {
    const found = await consult(['log-probs', 'route'], policy((await engine()).url));
    expect(Object.values(found).map(({ status }) => status)).toEqual(Object.values(found).map(() => 'ok'));
    expect(found.route?.seen).toBe('the route is sglext');
    expect(found['log-probs']?.seen).toContain('after the temperature');
    expect(found['policy-stream']?.seen).toMatch(/usage, \[DONE\]/);
  });

  it('says so where nothing listens, and asks nothing more', async () => {
    const port = await freePort();
    const { policy: finding, 'policy-key': key } = await consult(['policy-key'], policy(`http://127.0.0.1:${port}`));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: `the policy: connection refused at 127.0.0.1:${port}`,
      remedy: 'nothing listens there: start it, or mend host and port in server.base_url',
    });
    expect(key).toMatchObject({ status: 'unchecked', seen: 'not checked: policy has failed' });
  });

  it('knows the address of this machine at which it listens instead', async () => {
    const onFour = await odd(() => ({}));
    const { policy: six } = await consult(['policy'], policy(`http://[::1]:${onFour.port}`));
    expect(six).toMatchObject({
      status: 'failed',
      remedy: `something listens on 127.0.0.1:${onFour.port}: write that in server.base_url`,
    });
    const onSix = await odd(() => ({}), '::1');
    const { policy: four } = await consult(['policy'], policy(`http://127.0.0.1:${onSix.port}`));
    expect(four?.remedy).toBe(`something listens on [::1]:${onSix.port}: write that in server.base_url`);
  });

  it('knows that inside a container 127.0.0.1 is the container itself', async () => {
    const sight = { ...policy(`http://127.0.0.1:${await freePort()}`), isContainer: true };
    const { policy: finding } = await consult(['policy'], sight);
    expect(finding?.remedy).toContain('inside a container 127.0.0.1 is the container itself');
  });

  it('says so where a host has no address', async () => {
    const { policy: finding } = await consult(['policy'], policy('http://no-such-host.invalid:8000'));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: 'the policy: the host no-such-host.invalid has no address',
    });
  });

  it('tells TLS where none is spoken, and a server that is still starting', async () => {
    const plain = await odd(() => ({ status: 503, body: { detail: 'loading' } }));
    const { policy: tls } = await consult(['policy'], policy(`https://127.0.0.1:${plain.port}`));
    expect(tls).toMatchObject({ status: 'failed', remedy: 'write http:// in server.base_url' });
    const { policy: starting } = await consult(['policy'], policy(plain.url));
    expect(starting).toMatchObject({ status: 'failed', seen: `${plain.url}: status 503: loading` });
  });

  it.each([
    ['no key', null, 'set server.api_key_env to the name of the variable that holds its key'],
    ['a wrong key', 'wrong', 'mend the key in the variable that server.api_key_env names (POLICY_KEY)'],
    [
      'the token of a login',
      'sk-ant-oat01-secret',
      'holds the token of a login (OAuth); put an API key of that server there',
    ],
  ])('tells %s by the 401, and shows no key', async (_, key, remedy) => {
    const { url } = await engine({ apiKey: 'right' });
    const found = await consult(['policy-model'], key === null ? policy(url) : withKey(url, key));
    expect(found['policy-key']).toMatchObject({ status: 'failed', remedy: expect.stringContaining(remedy) });
    expect(found['policy-key']?.seen).toContain('answers 401');
    expect(JSON.stringify(found)).not.toMatch(/oat01|wrong"/);
    const { 'policy-key': right } = await consult(['policy-key'], withKey(url, 'right'));
    expect(right?.status).toBe('ok');
  });

  it('names the model that was meant', async () => {
    const server = await odd((path) =>
      path === '/v1/models'
        ? { body: { object: 'list', data: [{ id: 'Qwen/Qwen3-4B' }, { id: 'doubles' }] } }
        : { status: 404, body: { error: { message: 'no such model' } } },
    );
    const { 'policy-model': finding } = await consult(['policy-model'], policy(server.url));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: `no model double at 127.0.0.1:${server.port}; it lists Qwen/Qwen3-4B, doubles`,
      remedy: 'set server.policy_model to one that it lists; did you mean doubles?',
    });
  });

  const MODELS = { body: { object: 'list', data: [{ id: 'double' }] } };
  it.each<[string, OddAnswer, string, string]>([
    [
      'an answer without choices',
      { body: { id: 'x', result: 'yes' } },
      'an answer without choices: status 200 with JSON of id, result',
      'no OpenAI-compatible chat API',
    ],
    [
      'an error under status 200',
      { body: { error: { message: 'no quota left' } } },
      'an answer without choices: status 200: no quota left',
      'its error under status 200',
    ],
    ['empty choices', { body: { choices: [] } }, 'an answer with empty choices', 'no OpenAI-compatible chat API'],
    [
      'a web page',
      { body: '<!doctype html><p>Welcome' },
      'status 200 with a web page',
      'no OpenAI-compatible chat API',
    ],
    ['a limit', { status: 429, body: { error: { message: 'slow down' } } }, 'status 429: slow down', 'takes no more'],
    ['a sick server', { status: 500, body: 'oops' }, 'status 500 with something that is not JSON', 'look at its log'],
    ['a refusal', { status: 400, body: { message: 'no' } }, 'status 400: no', 'refuses the simplest chat'],
    ['a redirect', { status: 302, headers: { location: '/login' } }, 'a redirect to /login', 'its message says why'],
    [
      'no chat at all',
      { status: 404, body: { detail: 'Not Found' } },
      'no chat API: status 404: Not Found',
      'mend server.base_url',
    ],
  ])('tells %s', async (_, answer, seen, remedy) => {
    const server = await odd((path) => (path === '/v1/models' ? MODELS : answer));
    const { 'policy-chat': finding } = await consult(['policy-chat'], policy(server.url));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining(seen),
      remedy: expect.stringContaining(remedy),
    });
  });

  it('says so where no models are listed and none answers', async () => {
    const server = await odd(() => ({ status: 404, body: '' }));
    const { 'policy-model': finding } = await consult(['policy-model'], policy(server.url));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: `${server.url}: no list of models (status 404 with nothing), and double does not answer (status 404)`,
      remedy: expect.stringContaining('with or without /v1, and no other path'),
    });
  });

  it('tells a server that takes connections and does not answer, and one that takes none any more', async () => {
    const silent = await odd((path) => (path === '/v1/models' ? MODELS : null));
    const hasty = { OPENCLAW_RL_GATEWAY_FIRST_BYTE_TIMEOUT_S: '1' };
    const { 'policy-key': key } = await consult(['policy-key'], policy(silent.url, hasty));
    expect(key).toMatchObject({
      status: 'failed',
      seen: `127.0.0.1:${silent.port}: it takes the connection and does not answer`,
      remedy: 'it is still starting, or overloaded: look at its log',
    });
    const full = opened.add(await startFullListener());
    const { policy: finding } = await consult(['policy'], policy(full.url));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: `the policy: no answer from ${new URL(full.url).host}`,
      remedy: 'look at the network and its firewall, or mend server.base_url',
    });
  });

  it('tells what speaks no HTTP', async () => {
    const { url } = await opened.add(new OddNats({ version: '2.12.0' })).start();
    const { policy: finding } = await consult(['policy'], policy(url.replace('nats', 'http')));
    expect(finding).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('the connection broke'),
      remedy: expect.stringContaining('may speak no HTTP, or TLS alone'),
    });
  });

  const certificate = makeCertificate();
  (certificate === null ? it.skip : it)(
    certificate === null
      ? 'tells a certificate that nobody has signed (openssl, which makes one, is not here)'
      : 'tells a certificate that nobody has signed',
    async () => {
      const server = createServer(certificate ?? {}, (_, response) => response.end('{}'));
      opened.add({
        stop: () => {
          server.close();
          server.closeAllConnections();
        },
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const { policy: finding } = await consult(['policy'], policy(`https://127.0.0.1:${port}`));
      expect(finding).toMatchObject({
        status: 'failed',
        seen: expect.stringContaining('its certificate is not trusted'),
        remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      });
    },
  );

  it('tells a server that does not stream', async () => {
    const chat = { body: { choices: [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }] } };
    const server = await odd((path) => (path === '/v1/models' ? MODELS : chat));
    const { 'policy-stream': finding } = await consult(['policy-stream'], policy(server.url));
    expect(finding).toMatchObject({ status: 'failed', seen: 'asked for a stream, it sends an answer in one piece' });
  });

  const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
  it.each<[string, OddAnswer, string]>([
    ['refuses to', { status: 400, body: { error: { message: 'stream is off' } } }, 'a stream is refused: status 400'],
    ['says no choices', { body: `${event({ id: 'x' })}data: [DONE]\n\n` }, 'it sends events without choices'],
    ['never says that it ends', { body: event({ choices: [{ delta: {} }] }) }, 'its stream never says finish_reason'],
  ])('tells a server that %s in a stream', async (_, answer, seen) => {
    const chat = { body: { choices: [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }] } };
    let chats = 0;
    // The first question is for one piece.
    const server = await odd((path) => (path === '/v1/models' ? MODELS : (chats += 1) === 1 ? chat : answer));
    const { 'policy-stream': finding } = await consult(['policy-stream'], policy(server.url));
    expect(finding).toMatchObject({ status: 'failed', seen: expect.stringContaining(seen) });
  });

  it.each([
    ['stream_without_done', 'its stream ends without [DONE]'],
    ['stream_without_usage', 'its stream says no usage, though asked to'],
  ] as const)('tells a stream with the fault %s', async (fault, seen) => {
    const { url } = await engine({ faults: [fault] });
    const { 'policy-stream': finding } = await consult(['policy-stream'], policy(url));
    expect(finding).toMatchObject({ status: 'warning', seen });
  });

  it('says of an engine without token ids that nothing is trained on', async () => {
    const { url } = await engine({ dialect: 'openai' });
    const { route } = await consult(['route'], policy(url));
    expect(route).toMatchObject({ status: 'warning', seen: expect.stringContaining('the route is text') });
    expect(route?.remedy).toContain('not trained on (no_token_ids)');
  });

  it('warns of log-probs after a temperature that the teacher does not have', async () => {
    const hybrid = { OPENCLAW_RL_RL_ALGORITHM: 'hybrid', OPENCLAW_RL_SERVER_TEMPERATURE: '0.6' };
    const { url } = await engine();
    const { 'log-probs': tempered } = await consult(['log-probs'], policy(url, hybrid));
    expect(tempered).toMatchObject({ status: 'warning', seen: expect.stringContaining('temperature_mismatch') });
    const { url: original } = await engine({ returnOriginalLogprob: true });
    const { 'log-probs': before } = await consult(['log-probs'], policy(original, hybrid));
    expect(before).toMatchObject({ status: 'ok', seen: 'log-probs are taken before the temperature' });
  });

  it('says so where it cannot be found out when log-probs are taken', async () => {
    const { url } = await engine({ dialect: 'openai' });
    const hybrid = { OPENCLAW_RL_RL_ALGORITHM: 'hybrid', OPENCLAW_RL_OPD_TEACHER: 'prm' };
    const { 'log-probs': finding } = await consult(['log-probs'], policy(url, hybrid));
    expect(finding).toMatchObject({ status: 'warning', seen: expect.stringContaining('is not known') });
  });

  it('says which route only the running gateway can know, and that an engine has gone silent meanwhile', async () => {
    const { url } = await engine({ dialect: 'openai' });
    const all = { OPENCLAW_RL_SERVER_TEMPERATURE: '1', OPENCLAW_RL_SERVER_TOP_P: '1', OPENCLAW_RL_SERVER_TOP_K: '-1' };
    const { route } = await consult(['route'], policy(url, all));
    expect(route).toMatchObject({ status: 'unchecked', seen: expect.stringContaining('the running gateway knows') });
    let asked = 0;
    const chat = { choices: [{ message: { content: 'Yes.' }, delta: { content: 'Yes.' }, finish_reason: 'stop' }] };
    const answers: OddAnswer[] = [{ body: chat }, { body: `${event({ ...chat, usage: {} })}data: [DONE]\n\n` }];
    const fading = await odd((path) => (path === '/v1/models' ? MODELS : (answers[asked++] ?? { status: 500 })));
    const { route: none } = await consult(['route'], policy(fading.url));
    expect(none).toMatchObject({ status: 'failed', seen: 'it answered no chat this time', remedy: 'look at its log' });
  });
});
