import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@app/testing';
import { ON_THE_BUS, servicesOf } from '../support/compose-file';
import { Door } from './door';
import { askOverTls, correct, getOverTls, keepPraising, praise } from './people';
import { Project } from './project';

jest.setTimeout(600_000);

const JUDGES = 3;
/** An app has 20 seconds to drain; what Docker itself needs comes on top. */
const LONGEST_STOP_MS = 22_000;
/** What `docker compose up` starts in a fresh clone. */
const SERVICES = Object.fromEntries(
  Object.entries(servicesOf('deploy/docker-compose.yml')).filter(
    ([, { profiles }]) => profiles === undefined || profiles.includes('pocket'),
  ),
);
const APPS = Object.keys(SERVICES).filter((name) => SERVICES[name]?.build !== undefined);
/** Samples of one weight update: rl.rollout_steps. */
const BATCH = 16;

const project = Project.open();

const door = new Door(project.door);

/** What Prometheus answers, asked from inside, where it can be reached. */
const query = async (expr: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
  const url = `http://prometheus:9090/api/v1/query?query=${encodeURIComponent(expr)}`;
  const text = await project.node('gateway', `fetch('${url}').then((r) => r.text()).then(console.log)`);
  return (JSON.parse(text) as { data: { result: { metric: Record<string, string>; value: [number, string] }[] } }).data
    .result;
};

let samples = 0;

beforeAll(async () => {
  await project.compose('up', '-d', '--scale', `prm-judge=${JUDGES}`);
  await project.whenHealthy();
});

afterAll(async () => {
  await project.compose('down', '--volumes', '--remove-orphans');
  rmSync(join(project.copy, 'deploy/secrets'), { recursive: true, force: true });
});

describe('the default profile', () => {
  it('comes up healthy, with every service of it', async () => {
    const containers = await project.containers();
    expect(containers).toHaveLength(Object.keys(SERVICES).length + JUDGES - 1);
    await expect((await fetch(`${project.gateway}/readyz`)).json()).resolves.toMatchObject({ status: 'ok' });
  });

  it('serves a chat, and makes a sample of it', async () => {
    await praise(project.gateway, 'first');
    samples += 1;
    await door.whenSamplesAre(samples);
  });

  it('shares the work among the judges, and Prometheus finds all of them', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `shared-${i}`);
    await Promise.all(names.map((name) => praise(project.gateway, name)));
    samples += names.length;
    await door.whenSamplesAre(samples);
    const judged = await until(
      async () => {
        const found = await query('sum by (instance) (openclaw_rl_turns_judged_total) > 0');
        const all = found.reduce((sum, { value }) => sum + Number(value[1]), 0);
        return all === samples ? found : null;
      },
      { what: 'Prometheus has seen every judged turn', timeoutMs: 60_000, everyMs: 1000 },
    );
    expect(judged).toHaveLength(JUDGES);
  });

  it('makes a hint of a correction, which the teacher scores', async () => {
    await correct(project.gateway, 'corrected');
    samples += 1;
    await door.whenSamplesAre(samples);
    const { signals } = await door.stats();
    expect((signals.teacher ?? 0) + (signals.both ?? 0)).toBe(1);
  });

  it('learns: batches become weights, which the engine serves and comes back with when it was restarted', async () => {
    const hasTrained = async (): Promise<boolean> => {
      const { waiting, leased } = await door.stats();
      return waiting < BATCH && leased === 0 && (await door.policy()).policy_version > 0;
    };
    await until(hasTrained, { what: 'every full batch has become weights', timeoutMs: 120_000, everyMs: 250 });
    await project.compose('restart', 'pocket-engine');
    await project.whenHealthy();
    await praise(project.gateway, 'after-learning');
    samples += 1;
    await door.whenSamplesAre(samples);
    const policy = await door.policy();
    expect(policy.weights_path).toMatch(/^\/var\/lib\/openclaw-rl\/weights\/update-\d{6}-/);
    expect(policy.engines.map(({ version }) => version)).toEqual([policy.engine_version]);
  });

  it('is in order, as the doctor says', async () => {
    const said = await project.shell('docker compose run --rm doctor');
    expect(said).toMatch(/^\d+ ok, .* 0 failed/m);
  });

  it('lets no service do at NATS what is not its own', async () => {
    expect(await project.compose('logs', 'nats')).not.toContain('Violation');
  });
});

describe('its containers', () => {
  it.each(APPS)('%s: no root, no writable file system, a bound on memory', async (app) => {
    const [container] = await project.containers(app);
    expect(container?.Config.User).toBe('node');
    expect(container?.HostConfig.ReadonlyRootfs).toBe(true);
    expect(container?.HostConfig.Memory).toBeGreaterThan(0);
  });
});

describe('what happens to containers', () => {
  it.each([...APPS, 'nats'])('a killed %s comes back by itself', async (service) => {
    const [before] = await project.containers(service);
    // From the container's point of view nobody asked for it: Docker itself must bring it back.
    await project.killProcess(before!.State.Pid);
    await until(
      async () => {
        const now = (await project.containers(service)).find(({ Id }) => Id === before!.Id);
        return (now?.RestartCount ?? 0) > before!.RestartCount && now?.State.Health?.Status === 'healthy';
      },
      { what: `${service} is back`, timeoutMs: 120_000, everyMs: 500 },
    );
    await praise(project.gateway, `after-${service}`);
    samples += 1;
    await door.whenSamplesAre(samples);
  });

  it('a restart of one service after the other under load loses nothing, and each drains in time', async () => {
    const stop = new AbortController();
    const people = Array.from({ length: 4 }, (_, i) => keepPraising(project.gateway, `load-${i}`, stop.signal));
    const slow: string[] = [];
    for (const service of [...APPS, 'nats']) {
      const startedAt = performance.now();
      await project.compose('stop', service);
      if (performance.now() - startedAt > LONGEST_STOP_MS) slow.push(service);
      const codes = (await project.containers(service)).map(({ State }) => State.ExitCode);
      // nats-server says 1 when it was told to end.
      if (service !== 'nats' && codes.some((code) => code !== 0)) slow.push(`${service} ended with ${codes.join()}`);
      await project.compose('start', service);
      await project.whenHealthy();
    }
    stop.abort();
    const sessions = (await Promise.all(people)).flat();
    samples += sessions.length;
    expect(slow).toEqual([]);
    await door.whenSamplesAre(samples);
  });

  it('an upgrade by the README, under load, brings the change and loses nothing', async () => {
    const origin = join(project.copy, '../origin');
    appendFileSync(join(origin, 'apps/gateway/src/main.ts'), '\nexport const isUpgraded = true;\n');
    execFileSync('git', ['-C', origin, 'commit', '--quiet', '--all', '--message', 'A change']);
    const idsOf = async (service: string) => (await project.containers(service)).map(({ Id }) => Id);
    const before = await idsOf('gateway');
    const stop = new AbortController();
    const people = Array.from({ length: 2 }, (_, i) => keepPraising(project.gateway, `upgrade-${i}`, stop.signal));
    const scaled = project.with([], { PRM_JUDGES: String(JUDGES) });
    await scaled.shell('git pull && docker compose up -d --build');
    await project.whenHealthy();
    stop.abort();
    samples += (await Promise.all(people)).flat().length;
    await door.whenSamplesAre(samples);
    expect(await idsOf('gateway')).not.toEqual(before);
    expect(await project.containers('prm-judge')).toHaveLength(JUDGES);
    const upgraded = await project.compose(
      'exec',
      '-T',
      'gateway',
      'grep',
      'isUpgraded',
      'dist/apps/gateway/src/main.js',
    );
    expect(upgraded).not.toBe('');
  });

  it('down and up again keeps the samples that wait', async () => {
    await project.compose('down');
    expect(await project.containers()).toEqual([]);
    await project.compose('up', '-d', '--scale', `prm-judge=${JUDGES}`);
    await project.whenHealthy();
    await door.whenSamplesAre(samples);
  });
});

describe('with secrets of its own and TLS in front', () => {
  const tls = project.with(['deploy/docker-compose.yml', 'deploy/tls.yml']);
  let key: string;
  let consoleKey: string;

  beforeAll(async () => {
    const deploy = join(project.copy, 'deploy');
    const said = execFileSync('sh', [join(deploy, 'new-secrets.sh')], { encoding: 'utf8' });
    key = /The key for OpenClaw: (\S+)/.exec(said)?.[1] ?? '';
    consoleKey = /key for the console: (\S+)/.exec(said)?.[1] ?? '';
    const secrets = readFileSync(join(deploy, 'secrets/sample-submitter.env'), 'utf8');
    door.key = /OPENCLAW_RL_DOOR_API_KEYS=(\S+)/.exec(secrets)?.[1] ?? '';
    mkdirSync(join(deploy, 'secrets/tls'));
    const at = (file: string): string => join(deploy, 'secrets/tls', file);
    const certificate = ['-newkey', 'rsa:2048', '-nodes', '-keyout', at('privkey.pem'), '-out', at('fullchain.pem')];
    execFileSync('openssl', ['req', '-x509', ...certificate, '-subj', '/CN=localhost', '-days', '1'], {
      stdio: 'ignore',
    });
    await tls.compose('up', '-d');
    await tls.whenHealthy();
  });

  it('streams a chat to whoever has the key', async () => {
    const { status, text } = await askOverTls(project.tlsPort, key);
    expect([status, text.trimEnd().endsWith('data: [DONE]')]).toEqual([200, true]);
  });

  it.each([null, 'k-wrong'])('refuses the key %s', async (wrong) => {
    await expect(askOverTls(project.tlsPort, wrong)).resolves.toMatchObject({ status: 401 });
  });

  it('has the console, which tells the operator alone of the turns', async () => {
    const get = (path: string, with_: string | null = null) => getOverTls(project.tlsPort, path, with_);
    const { status, text } = await get('/console');
    expect([status, text.includes('<title>')]).toEqual([200, true]);
    const assets = [...text.matchAll(/(?:src|href)="(?:\.\/|\/console\/|console\/)?(assets\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) expect((await get(`/console/${path}`)).status).toBe(200);
    expect((await get('/console/api/turns')).status).toBe(401);
    expect((await get('/console/api/turns', key)).status).toBe(401);
    const turns = await get('/console/api/turns', consoleKey);
    expect([turns.status, turns.text.includes('"sample"')]).toEqual([200, true]);
    expect((await get('/metrics', key)).status).toBe(404);
  });

  it('has kept the samples', async () => {
    await door.whenSamplesAre(samples);
  });

  it('takes a new key beside the old one, and then the new one alone', async () => {
    const file = join(project.copy, 'deploy/secrets/gateway.env');
    const withKeys = async (keys: string): Promise<void> => {
      const others = readFileSync(file, 'utf8').replace(/^OPENCLAW_RL_GATEWAY_API_KEYS=.*\n/m, '');
      writeFileSync(file, `OPENCLAW_RL_GATEWAY_API_KEYS=${keys}\n${others}`);
      await tls.compose('up', '-d', 'gateway');
      await tls.whenHealthy();
    };
    const statusWith = async (one: string): Promise<number> => (await askOverTls(project.tlsPort, one)).status;
    await withKeys(`${key},k-new`);
    expect([await statusWith(key), await statusWith('k-new')]).toEqual([200, 200]);
    await withKeys('k-new');
    expect([await statusWith(key), await statusWith('k-new')]).toEqual([401, 200]);
    key = 'k-new';
  });

  it("gives every container NATS' renewed passwords, loses no answered turn, and serves on", async () => {
    const passwords = async (): Promise<string[]> => {
      const containers = await Promise.all(ON_THE_BUS.map((app) => tls.containers(app)));
      const variables = containers.flat().flatMap(({ Config }) => Config.Env);
      return variables.flatMap((each) => /^OPENCLAW_RL_NATS_URL=nats:\/\/[\w-]+:(\w+)@/.exec(each)?.slice(1) ?? []);
    };
    const old = await passwords();
    await praise(project.gateway, 'before-renewal', key);
    await tls.compose('stop', 'gateway');
    await tls.shell('sh deploy/new-secrets.sh --renew');
    await tls.compose('up', '-d');
    await tls.whenHealthy();
    const [nats] = await tls.containers('nats');
    const known = nats?.Config.Env.map((each) => each.replace(/^.*?=/, '')) ?? [];
    const renewed = await passwords();
    expect(renewed).toHaveLength(old.length);
    expect(renewed.filter((password) => old.includes(password) || !known.includes(password))).toEqual([]);
    await praise(project.gateway, 'after-renewal', key);
    samples += 2;
    await door.whenSamplesAre(samples);
  });

  it('takes other passwords for everything at once, and serves on with its certificate', async () => {
    const old = join(project.copy, '../old-secrets');
    await tls.shell(`mv deploy/secrets ${old} && sh deploy/new-secrets.sh && mv ${old}/tls deploy/secrets`);
    const valueIn = (file: string, name: string): string =>
      new RegExp(`^${name}=(\\S+)$`, 'm').exec(readFileSync(join(project.copy, 'deploy/secrets', file), 'utf8'))?.[1] ??
      '';
    await tls.compose('up', '-d');
    await tls.whenHealthy();
    const replaced = key;
    key = valueIn('gateway.env', 'OPENCLAW_RL_GATEWAY_API_KEYS');
    door.key = valueIn('sample-submitter.env', 'OPENCLAW_RL_DOOR_API_KEYS');
    expect((await askOverTls(project.tlsPort, replaced)).status).toBe(401);
    expect((await askOverTls(project.tlsPort, key)).status).toBe(200);
    await door.whenSamplesAre(samples);
  });

  it('comes back from a backup with its samples, its policy and its weights', async () => {
    const before = await door.policy();
    const run = (script: string): string =>
      execFileSync('sh', [join(project.copy, 'deploy', script), join(project.copy, 'backup')], {
        env: project.env,
        encoding: 'utf8',
      });
    const archives = run('backup.sh').match(/\w+(?=\.tgz)/g) ?? [];
    expect(archives.slice(0, 3)).toEqual(['nats', 'records', 'weights']);
    await tls.whenHealthy();
    await tls.compose('down', '--volumes');
    expect(run('restore.sh').trim().split('\n')).toHaveLength(archives.length);
    await tls.compose('up', '-d');
    await tls.whenHealthy();
    await door.whenSamplesAre(samples);
    await expect(door.policy()).resolves.toMatchObject({
      policy_version: before.policy_version,
      weights_path: before.weights_path,
      engines: before.engines.map(({ version }) => ({ version })),
    });
  });

  it("deletes a session's data, and knows it no more", async () => {
    await praise(project.gateway, 'to-delete', key);
    await door.whenSamplesAre(samples + 1);
    const remove = async (): Promise<[number, unknown]> => {
      const url = `${project.gateway}/v1/sessions/to-delete`;
      const response = await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
      return [response.status, await response.json()];
    };
    const [status, body] = await remove();
    expect(status).toBe(200);
    expect((body as { deleted: { messages: number } }).deleted.messages).toBeGreaterThan(0);
    await expect(remove()).resolves.toEqual([404, expect.anything()]);
  });
});
