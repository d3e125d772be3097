import 'reflect-metadata';
import { freePort, startEngineDouble, type EngineDouble, type EngineDoubleOptions } from '@app/testing';
import { consult } from '../support/doctor';
import { OddServer, type OddAnswer } from '../support/odd-server';
import { Opened } from '../support/opened';

const opened = new Opened();
afterEach(() => opened.close());

const engine = async (options: EngineDoubleOptions = {}): Promise<EngineDouble> =>
  opened.add(await startEngineDouble(options));
const odd = (answer: (path: string) => OddAnswer, host?: string): Promise<OddServer> =>
  opened.add(new OddServer(answer)).start(host);
const policy = (url: string, more: Record<string, string> = {}) => ({
  env: { OPENCLAW_RL_SERVER_BASE_URL: url, OPENCLAW_RL_SERVER_POLICY_MODEL: 'double', ...more },
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

  it('tells a server that does not stream', async () => {
    const chat = { body: { choices: [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }] } };
    const server = await odd((path) => (path === '/v1/models' ? MODELS : chat));
    const { 'policy-stream': finding } = await consult(['policy-stream'], policy(server.url));
    expect(finding).toMatchObject({ status: 'failed', seen: 'asked for a stream, it sends an answer in one piece' });
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
});
