import 'reflect-metadata';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consult } from '../support/doctor';
import { OddServer } from '../support/odd-server';
import { Opened } from '../support/opened';

const opened = new Opened();
afterEach(() => opened.close());

describe('the doctor on OpenClaw', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'doctor-home-'));
    mkdirSync(join(home, '.openclaw', 'agents', 'main', 'agent'), { recursive: true });
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const lookAt = async (provider: object, more: object = {}, env: Record<string, string> = {}) => {
    const config = { models: { providers: { 'openclaw-rl': provider } }, ...more };
    writeFileSync(join(home, '.openclaw', 'openclaw.json'), `// mine\n${JSON.stringify(config)}`);
    return consult(['openclaw', 'oauth'], { env: { HOME: home, ...env } });
  };
  const PROVIDER = { baseUrl: 'http://127.0.0.1:30000/v1', api: 'openai-completions', apiKey: 'sk-any' };

  it('finds nothing wrong with the block that npm start prints', async () => {
    const { openclaw, oauth } = await lookAt(PROVIDER);
    expect([openclaw?.status, oauth?.status]).toEqual(['ok', 'ok']);
  });

  it.each<[string, object, Record<string, string>, string]>([
    ['a base URL without /v1', { ...PROVIDER, baseUrl: 'http://127.0.0.1:30000' }, {}, 'does not end in /v1'],
    ['another API', { ...PROVIDER, api: 'anthropic-messages' }, {}, '.api is "anthropic-messages"'],
    ['a key that is none', PROVIDER, { OPENCLAW_RL_GATEWAY_API_KEYS: 'real-key' }, 'none of gateway.api_keys'],
  ])('tells %s', async (_, provider, env, seen) => {
    const found = await lookAt(provider, {}, env);
    expect(found.openclaw).toMatchObject({ status: 'failed', seen: expect.stringContaining(seen) });
    expect(JSON.stringify(found)).not.toMatch(/sk-any|real-key/);
  });

  it('warns where no provider points to the gateway', async () => {
    const { openclaw } = await lookAt({ ...PROVIDER, baseUrl: 'http://127.0.0.1:31111/v1' });
    expect(openclaw).toMatchObject({ status: 'warning', seen: expect.stringContaining('no provider') });
  });

  it('knows an address at which the gateway does not listen', async () => {
    const gateway = await opened.add(new OddServer(() => ({}))).start();
    const provider = { ...PROVIDER, baseUrl: `http://[::1]:${gateway.port}/v1` };
    const { openclaw } = await lookAt(provider, {}, { PORT: String(gateway.port) });
    expect(openclaw).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining(`something listens on 127.0.0.1:${gateway.port}`),
    });
  });

  it('tells logins that are left over', async () => {
    const profiles = { auth: { profiles: { 'openclaw-rl:me': { provider: 'openclaw-rl', mode: 'oauth' } } } };
    const byProfile = await lookAt(PROVIDER, profiles);
    expect(byProfile.oauth).toMatchObject({ status: 'failed', seen: expect.stringContaining('openclaw-rl:me') });
    const byProvider = await lookAt({ ...PROVIDER, auth: 'oauth' });
    expect(byProvider.oauth).toMatchObject({ status: 'failed', seen: expect.stringContaining('.auth is "oauth"') });
    writeFileSync(join(home, '.openclaw', 'agents', 'main', 'agent', 'auth-profiles.json'), '{}');
    const byFile = await lookAt(PROVIDER);
    expect(byFile.oauth).toMatchObject({ status: 'warning', remedy: expect.stringContaining('openclaw doctor --fix') });
  });

  it('says so of a configuration that cannot be read', async () => {
    writeFileSync(join(home, '.openclaw', 'openclaw.json'), '{ models: ');
    const { openclaw } = await consult(['openclaw'], { env: { HOME: home } });
    expect(openclaw).toMatchObject({ status: 'unchecked', seen: expect.stringContaining('could not be read') });
  });
});
