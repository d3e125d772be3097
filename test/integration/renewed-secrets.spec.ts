import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { startNatsServer } from '@app/testing';
import { natsConfigOfCompose, ON_THE_BUS, readEnvFile, ROOT, servicesOf } from '../support/compose-file';
import { Opened } from '../support/opened';

type Environment = Readonly<Record<string, string>>;

const SERVICES = servicesOf('deploy/docker-compose.yml');
const USERS = [...ON_THE_BUS, 'doctor', 'bus-admin'];
const URL_VARIABLE = 'OPENCLAW_RL_NATS_URL';

describe('the passwords of NATS after new-secrets.sh --renew', () => {
  const opened = new Opened();
  let folder: string;
  let before: Readonly<Record<string, Environment>>;
  let after: Readonly<Record<string, Environment>>;

  /** Variables of a service as Compose puts them together: what comes later wins, what is not there and need not be is passed over. */
  const environmentOf = (service: string): Environment => {
    const files = (SERVICES[service]?.env_file ?? []).map(({ path, required }) => ({
      path: join(folder, path),
      required,
    }));
    const there = files.filter(({ path, required }) => required !== false || existsSync(path));
    return Object.assign({}, ...there.map(({ path }) => readEnvFile(path))) as Environment;
  };
  const everyEnvironment = (): Readonly<Record<string, Environment>> =>
    Object.fromEntries(Object.keys(SERVICES).map((service) => [service, environmentOf(service)]));
  const newSecrets = (...args: readonly string[]): void => {
    execFileSync('sh', [join(folder, 'new-secrets.sh'), ...args]);
  };
  const userOf = (environment: Environment | undefined): { user: string; pass: string } => {
    const { username, password } = new URL(environment?.[URL_VARIABLE] ?? '');
    return { user: username, pass: password };
  };
  const isPassword = (variable: string): boolean => variable === URL_VARIABLE || /^NATS_\w+_PASSWORD$/.test(variable);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'renewed-'));
    for (const path of ['env', 'new-secrets.sh'])
      cpSync(join(ROOT, 'deploy', path), join(folder, path), { recursive: true });
    newSecrets();
    before = everyEnvironment();
    newSecrets('--renew');
    after = everyEnvironment();
  });
  afterAll(async () => {
    for (const variable of Object.keys(after.nats ?? {})) Reflect.deleteProperty(process.env, variable);
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  it('are asked of every service that is on the bus', () => {
    const asked = Object.keys(SERVICES).filter((service) => after[service]?.[URL_VARIABLE] !== undefined);
    expect(asked.sort()).toEqual([...USERS].sort());
  });

  it('leave every other variable of every service as it was', () => {
    const others = (all: Readonly<Record<string, Environment>>): unknown =>
      Object.entries(all).map(([service, variables]) => [
        service,
        Object.entries(variables).filter(([variable]) => !isPassword(variable)),
      ]);
    expect(others(after)).toEqual(others(before));
  });

  it('let every service in at the server of the compose file, and the old ones nobody', async () => {
    // The server reads them out of its environment.
    Object.assign(process.env, after.nats);
    const config = `${natsConfigOfCompose()}\njetstream { store_dir: ${JSON.stringify(join(folder, 'store'))} }`;
    const { url } = opened.add(await startNatsServer({ config }));
    for (const service of USERS) {
      const [old, renewed] = [userOf(before[service]), userOf(after[service])];
      expect([old.user, renewed.user]).toEqual([service, service]);
      await (await connect({ servers: url, ...renewed, reconnect: false })).close();
      await expect(connect({ servers: url, ...old, reconnect: false })).rejects.toThrow(/authorization/i);
    }
  });
});
