import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SettingsError, type Settings } from '@app/config';
import { describePlan, planPools } from '@app/pools';
import { readEnvFile, readText, ROOT, servicesOf } from '../support/compose-file';
import { settingsFrom } from '../support/settings-from';

const FILES = ['deploy/docker-compose.yml', 'deploy/tls.yml'];
const services = servicesOf('deploy/docker-compose.yml');
const { projects } = JSON.parse(readText('nest-cli.json')) as { projects: Record<string, { type: string }> };
const apps = Object.keys(projects).filter((name) => projects[name]?.type === 'application');

/** The trainer talks to the door alone, and the pocket engine answers whoever asks. */
const onTheBus = apps.filter((app) => app !== 'trainer' && app !== 'pocket-engine');

/** A service's variables as Compose puts them together, with the passwords that a fresh clone has. */
const environmentOf = (app: string): Record<string, string> =>
  Object.assign(
    {},
    ...(services[app]?.env_file ?? [])
      .filter(({ required }) => required !== false)
      .map(({ path }) => readEnvFile(join('deploy', path))),
  ) as Record<string, string>;

const settingsOf = (app: string, more: Record<string, string> = {}): Settings =>
  settingsFrom({ ...environmentOf(app), ...more });

describe('compose files', () => {
  it.each(apps)('run %s from its own image', (app) => {
    expect(services[app]?.build).toEqual({ context: '..', target: app });
    expect(readText('Dockerfile')).toContain(`FROM app AS ${app}\n`);
  });

  it.each(onTheBus)('give %s settings that it starts with, and a user of its own at NATS', (app) => {
    const password = readEnvFile('deploy/env/nats.env')[`NATS_${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`];
    expect(settingsOf(app).nats.url).toBe(`nats://${app}:${password}@nats:4222`);
  });

  it('give the trainer a key of the door, and the door', () => {
    const { door, trainer } = settingsOf('trainer');
    expect(door.apiKeys).toEqual(settingsOf('sample-submitter').door.apiKeys);
    expect(trainer.doorUrl).toBe('http://sample-submitter:30100');
  });

  it('let the pocket model serve under the names that the apps know, and its trainer teach it through one volume', () => {
    const { server } = settingsOf('gateway');
    const { pocket } = settingsOf('pocket-engine');
    const aliases = (name: string): unknown => (services[name]?.networks as { inner?: unknown } | undefined)?.inner;
    expect(server.baseUrl).toBe(`http://policy-engine:${pocket.port}`);
    expect(aliases('pocket-engine')).toEqual({ aliases: ['policy-engine'] });
    expect(server.judgeBaseUrl).toBe(`http://prm-engine:${pocket.port}`);
    expect(aliases('pocket-teacher')).toEqual({ aliases: ['prm-engine'] });
    expect(pocket.judgeModel).toBe(server.judgeModel);
    const { trainer, training } = settingsOf('trainer');
    expect(trainer.backend).toBe('pocket');
    const volume = '/var/lib/openclaw-rl';
    for (const name of ['pocket-engine', 'trainer']) expect(services[name]?.volumes).toEqual([`weights:${volume}`]);
    expect([training.weightsDir, pocket.servedFile].map((path) => path.startsWith(`${volume}/`))).toEqual([true, true]);
  });

  it('let every app be drained, change no file of its image, and gain no privilege', () => {
    const hardened = apps.map((app) => services[app]);
    expect(hardened).toEqual(
      apps.map(() =>
        expect.objectContaining({
          stop_grace_period: '25s',
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        }),
      ),
    );
  });

  it('build what is ours, and never take it from a registry, where anyone may have put the name', () => {
    const ours = Object.values(services).filter(({ image }) => image?.startsWith('openclaw-rl/'));
    expect(ours.map(({ pull_policy: policy }) => policy)).toEqual(ours.map(() => 'never'));
  });

  it('start who asks behind who answers, and so stop it before', () => {
    const behind = (service: string): Record<string, unknown> =>
      services[service]?.depends_on as Record<string, unknown>;
    const healthy = { condition: 'service_healthy' };
    const ifThere = { ...healthy, required: false };
    const onlyBus = { nats: healthy };
    const judging = { ...onlyBus, 'pocket-teacher': ifThere, 'prm-engine': ifThere };
    expect(behind('gateway')).toEqual({ ...onlyBus, 'pocket-engine': ifThere, 'policy-engine': ifThere });
    for (const app of ['prm-judge', 'opd-teacher']) expect(behind(app)).toEqual(judging);
    for (const app of ['session-tracker', 'sample-submitter']) expect(behind(app)).toEqual(onlyBus);
    expect(behind('trainer')).toEqual({ 'pocket-engine': ifThere, 'sample-submitter': ifThere });
    expect(behind('file-trainer')).toEqual({ 'sample-submitter': ifThere });
    expect(behind('slime-trainer')).toEqual({ 'policy-engine': healthy, 'sample-submitter': healthy });
  });

  it('publish on this machine only, without TLS', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(ports).toContain('127.0.0.1:${GATEWAY_PORT:-30000}:30000');
  });

  it('keep what needs no way out on the inner network alone', () => {
    const outside = Object.entries(services).filter(([, { networks = [] }]) =>
      (Array.isArray(networks) ? networks : Object.keys(networks)).some((network) => network !== 'inner'),
    );
    expect(outside.map(([name]) => name).sort()).toEqual([
      'doctor',
      'file-trainer',
      'gateway',
      'grafana',
      'opd-teacher',
      'prm-judge',
      'sample-submitter',
      'slime-trainer',
      'trainer',
    ]);
  });

  it.each(['gateway', 'prm-judge', 'opd-teacher', 'sample-submitter', 'trainer', 'file-trainer', 'slime-trainer'])(
    'let %s reach engines and hosted models elsewhere',
    (name) => {
      expect(services[name]?.networks).toContain('egress');
    },
  );

  it('pin every image to a version', () => {
    const images = FILES.flatMap((file) => Object.values(servicesOf(file)).map(({ image }) => image ?? null));
    const foreign = images.filter(
      (image) => image !== null && !/:(v?\d+\.\d+\.\d+|nightly-dev-\d{8}[a-z])(-[\w.]+)?$/.test(image),
    );
    expect(foreign).toEqual([]);
  });

  it('bound the memory, the processes and the logs of every container', () => {
    const unbounded = Object.entries(services).filter(
      ([, service]) =>
        JSON.stringify(service.logging) !== JSON.stringify(services.nats?.logging) ||
        service.deploy?.resources.limits?.memory === undefined ||
        service.deploy.resources.limits.pids === undefined,
    );
    expect(unbounded.map(([name]) => name)).toEqual([]);
  });

  it('are one project, from whichever of them it is started', () => {
    const nameOf = (file: string): unknown => (parse(readText(file)) as { name?: unknown }).name;
    expect(['compose.yaml', 'deploy/docker-compose.yml'].map(nameOf)).toEqual(['openclaw-rl', 'openclaw-rl']);
    expect(parse(readText('compose.yaml'))).toMatchObject({ include: ['deploy/docker-compose.yml'] });
  });

  it('build with the Node that the project is tested with', () => {
    const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: { node: string } };
    const bases = readText('Dockerfile').match(/^FROM node:\S+/gm);
    expect(new Set(bases)).toEqual(new Set([`FROM node:${devDependencies.node}-bookworm-slim`]));
  });

  it('are explained variable by variable, with their defaults', () => {
    const used = FILES.flatMap((file) => [...readText(file).matchAll(/\$\{(\w+):-([^}]*)\}/g)]);
    const defaults = Object.fromEntries(used.map(([, name = '', value = '']) => [name, value]));
    expect(readEnvFile('.env.example')).toEqual({ ...defaults, COMPOSE_PROFILES: 'pocket' });
    expect(readEnvFile('.env')).toEqual({ COMPOSE_PROFILES: 'pocket' });
    expect(readEnvFile('deploy/.env')).toEqual({ COMPOSE_PROFILES: 'pocket' });
  });

  it('give engines and trainer the GPUs that `npm run pools` prints, and the parallelism', () => {
    const plan = planPools(settingsOf('gateway'));
    const printed = /^ {2}trainer: .*\n^ {2}policy: .*\n^ {2}prm: .*$/m.exec(describePlan(plan))?.[0] ?? '';
    const devicesOf = (service: string): unknown => services[service]?.deploy?.resources.reservations?.devices;
    expect(parse(printed)).toEqual({
      trainer: devicesOf('slime-trainer'),
      policy: devicesOf('policy-engine'),
      prm: devicesOf('prm-engine'),
    });
    const { trainer, policy, prm } = plan.pools;
    expect(readEnvFile('.env.example')).toMatchObject({
      POLICY_TP_SIZE: String(policy.tensorParallel),
      PRM_TP_SIZE: String(prm.tensorParallel),
    });
    expect(readText('deploy/slime/run_qwen3_4b.sh')).toContain(`\${ACTOR_GPUS:-${trainer.gpus.length}}`);
  });

  it('start the engines as the published system does, with token ids and log-probs that can be trained on', () => {
    const published = [
      '--tp-size=${POLICY_TP_SIZE:-2}',
      '--tool-call-parser=${POLICY_TOOL_CALL_PARSER:-qwen25}',
      '--reasoning-parser=${POLICY_REASONING_PARSER:-qwen3}',
      '--context-length=32768',
      '--mem-fraction-static=0.85',
    ];
    const flags = (service: string): unknown => services[service]?.command;
    expect(flags('policy-engine')).toEqual(
      expect.arrayContaining([...published, '--return-input-ids', '--return-output-ids']),
    );
    expect(flags('prm-engine')).toEqual(expect.arrayContaining(published.slice(3)));
    for (const service of ['policy-engine', 'prm-engine'])
      expect(services[service]?.environment).toMatchObject({ SGLANG_RETURN_ORIGINAL_LOGPROB: '1' });
  });

  it('let slime train at the door, and the policy engine read its weights under the path that it writes', () => {
    const env = readEnvFile('deploy/env/slime-trainer.env');
    const { door } = settingsOf('sample-submitter');
    expect(door.apiKeys).toContain(env.OPENCLAW_RL_DOOR_KEY);
    expect(env.OPENCLAW_RL_DOOR_URL).toBe(`http://sample-submitter:${door.port}`);
    expect(`http://${env.ENGINES}`).toBe(settingsOf('gateway').server.baseUrl);
    const mounted = (service: string) => services[service]?.volumes as readonly string[];
    expect(mounted('slime-trainer')).toContain('slime:/slime-run');
    expect(mounted('policy-engine')).toContain('slime:/slime-run:ro');
    for (const name of ['UPDATES', 'SAVE', 'REF']) expect(env[name]).toMatch(/^\/slime-run\//);
    expect(`${mounted('slime-trainer')[0]}${(services['slime-trainer']?.command as string[])[0]}`).toBe(
      './slime:/openclaw-rl:ro/openclaw-rl/run_qwen3_4b.sh',
    );
  });

  it('start by default what serves, judges, hints, trains and watches', () => {
    const started = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('pocket') ?? true);
    expect(started.map(([name]) => name).sort()).toEqual([
      'gateway',
      'grafana',
      'nats',
      'opd-teacher',
      'pocket-engine',
      'pocket-teacher',
      'prm-judge',
      'prometheus',
      'sample-submitter',
      'session-tracker',
      'trainer',
    ]);
    expect(settingsOf('opd-teacher').rl.asksTeacher).toBe(true);
  });

  it('do not let the gateway start without keys behind TLS', () => {
    const { environment } = servicesOf('deploy/tls.yml').gateway as { environment: Record<string, string> };
    expect(() => settingsOf('gateway', environment)).toThrow(SettingsError);
  });
});

describe('new secrets', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    cpSync(join(ROOT, 'deploy/new-secrets.sh'), join(folder, 'new-secrets.sh'));
    execFileSync('sh', [join(folder, 'new-secrets.sh')]);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const secretsOf = (service: string): Record<string, string> =>
    Object.fromEntries(
      readFileSync(join(folder, 'secrets', `${service}.env`), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );

  it('give every service that has a password another one, which nobody else can read', () => {
    const files = readdirSync(join(folder, 'secrets')).sort();
    const named = Object.values(services)
      .flatMap((service) => service.env_file ?? [])
      .map(({ path }) => path)
      .filter((path) => path.startsWith('secrets/'));
    expect(files.map((file) => `secrets/${file}`)).toEqual([...new Set(named)].sort());
    expect(files.map((file) => statSync(join(folder, 'secrets', file)).mode & 0o077)).toEqual(files.map(() => 0));
  });

  it.each(onTheBus)('let %s start, with the password that NATS knows', (app) => {
    const { url } = settingsOf(app, secretsOf(app)).nats;
    const variable = `NATS_${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
    expect(url).toBe(`nats://${app}:${secretsOf('nats')[variable]}@nats:4222`);
    expect(secretsOf('nats')[variable]).toMatch(/^k[0-9a-f]{48}$/);
  });

  it('close the gateway to whoever has no key', () => {
    const { gateway, console } = settingsOf('gateway', secretsOf('gateway'));
    expect(gateway.apiKeys).toHaveLength(1);
    expect(console.operatorKeys).toHaveLength(1);
    expect(console.operatorKeys).not.toEqual(gateway.apiKeys);
    expect(gateway.allowUnauthenticated).toBe(false);
  });

  it('never take the place of others', () => {
    const before = secretsOf('nats');
    expect(() => execFileSync('sh', [join(folder, 'new-secrets.sh')], { stdio: 'pipe' })).toThrow('move it away first');
    expect(secretsOf('nats')).toEqual(before);
  });

  it('are added for users that an older installation does not have, and nothing else changes', () => {
    const path = (file: string) => join(folder, 'secrets', file);
    const read = (file: string) => readFileSync(path(file), 'utf8');
    const before = readdirSync(path('')).filter((file) => !/^(nats|bus-admin)\.env$/.test(file));
    const texts = before.map(read);
    const users = read('nats.env')
      .replace(/^NATS_BUS_ADMIN_PASSWORD=.*\n/m, '')
      .trimEnd();
    writeFileSync(path('nats.env'), users);
    rmSync(path('bus-admin.env'));

    const add = () => execFileSync('sh', [join(folder, 'new-secrets.sh'), '--missing'], { encoding: 'utf8' });
    expect(add()).toBe('A password for bus-admin\n');
    expect(read('nats.env').startsWith(users)).toBe(true);
    const password = secretsOf('nats').NATS_BUS_ADMIN_PASSWORD;
    expect(password).toMatch(/^k[0-9a-f]{48}$/);
    expect(settingsOf('bus-admin', secretsOf('bus-admin')).nats.url).toBe(`nats://bus-admin:${password}@nats:4222`);
    expect(statSync(path('bus-admin.env')).mode & 0o077).toBe(0);
    expect(before.map(read)).toEqual(texts);

    const all = readdirSync(path('')).map(read);
    expect(add()).toBe('');
    expect(readdirSync(path('')).map(read)).toEqual(all);
  });

  it("are renewed for NATS' users alone, and everything else in the files stays as it is", () => {
    const path = (file: string) => join(folder, 'secrets', file);
    const read = (file: string) => readFileSync(path(file), 'utf8');
    const files = readdirSync(path(''));
    writeFileSync(path('prm-judge.env'), `# of the provider\n${read('prm-judge.env')}JUDGE_KEY=k`);
    writeFileSync(path('gateway.env'), read('gateway.env').replace('@nats:4222', '@nats-1:4222,tls://nats-2:4222'));
    writeFileSync(path('nats.env'), `# users\n${read('nats.env')}NATS_METRICS_PASSWORD=of-our-own\n`);
    const passwords = secretsOf('nats');
    const users = onTheBus.map((app) => `NATS_${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`);
    const withoutPasswords = () =>
      files.map((file) => users.reduce((text, user) => text.replaceAll(secretsOf('nats')[user]!, user), read(file)));
    const kept = withoutPasswords();

    const said = execFileSync('sh', [join(folder, 'new-secrets.sh'), '--renew'], { encoding: 'utf8' });
    expect(said).toMatch(/^NATS' users .*: docker compose stop gateway && docker compose up -d\n$/);
    expect(withoutPasswords()).toEqual(kept);
    expect(readdirSync(path(''))).toEqual(files);
    expect(files.map((file) => statSync(path(file)).mode & 0o077)).toEqual(files.map(() => 0));
    for (const user of users) {
      expect(secretsOf('nats')[user]).toMatch(/^k[0-9a-f]{48}$/);
      expect(secretsOf('nats')[user]).not.toBe(passwords[user]);
    }
    // As of a run that broke off between the two files.
    writeFileSync(path('nats.env'), read('nats.env').replace(secretsOf('nats').NATS_DOCTOR_PASSWORD!, 'khalf'));
    execFileSync('sh', [join(folder, 'new-secrets.sh'), '--renew']);
    expect(withoutPasswords()).toEqual(kept);
  });

  it('know no other option', () => {
    const tried = spawnSync('sh', [join(folder, 'new-secrets.sh'), '--renwe'], { encoding: 'utf8' });
    expect([tried.status, tried.stderr]).toEqual([1, '--renwe is no option; allowed: --missing, --renew\n']);
  });
});
