import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError, type Settings } from '@app/config';
import { planPools } from '@app/pools';
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
      'gateway',
      'grafana',
      'opd-teacher',
      'prm-judge',
      'sample-submitter',
    ]);
  });

  it('pin every image to a version', () => {
    const images = FILES.flatMap((file) => Object.values(servicesOf(file)).map(({ image }) => image ?? null));
    const foreign = images.filter((image) => image !== null && !/:v?\d+\.\d+\.\d+(-[\w.]+)?$/.test(image));
    expect(foreign).toEqual([]);
  });

  it('bound the memory, the processes and the logs of every container that is not an engine on GPUs', () => {
    const unbounded = Object.entries(services).filter(
      ([, service]) =>
        JSON.stringify(service.logging) !== JSON.stringify(services.nats?.logging) ||
        (!service.profiles?.includes('gpu') && service.deploy?.resources.limits?.memory === undefined),
    );
    expect(unbounded.map(([name]) => name)).toEqual([]);
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

  it('give the engines the GPUs and the parallelism that the pools plan for them', () => {
    const { policy, prm } = planPools(settingsOf('gateway')).pools;
    const devicesOf = (service: string): unknown => services[service]?.deploy?.resources.reservations?.devices;
    const devices = (gpus: readonly number[]) => [
      { driver: 'nvidia', device_ids: gpus.map(String), capabilities: ['gpu'] },
    ];
    expect(devicesOf('policy-engine')).toEqual(devices(policy.gpus));
    expect(devicesOf('prm-engine')).toEqual(devices(prm.gpus));
    expect(readEnvFile('.env.example')).toMatchObject({
      POLICY_TP_SIZE: String(policy.tensorParallel),
      PRM_TP_SIZE: String(prm.tensorParallel),
    });
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
    const { gateway } = settingsOf('gateway', secretsOf('gateway'));
    expect(gateway.apiKeys).toHaveLength(1);
    expect(gateway.allowUnauthenticated).toBe(false);
  });

  it('never take the place of others', () => {
    const before = secretsOf('nats');
    expect(() => execFileSync('sh', [join(folder, 'new-secrets.sh')], { stdio: 'pipe' })).toThrow('move it away first');
    expect(secretsOf('nats')).toEqual(before);
  });
});
