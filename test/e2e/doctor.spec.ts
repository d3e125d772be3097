import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/testing';
import { findOldNode } from '../support/old-node';
import { firstOpenPort, hasNamespaces, inNamespace, withoutPrivileges, type Call } from '../support/in-namespace';
import { OddServer } from '../support/odd-server';
import { startStack, STACK_UP_MS, type Stack } from '../support/start-stack';

const ROOT = join(__dirname, '../..');

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly seen: string }[];
}

describe('npm run doctor', () => {
  // Each is a process, and the first one builds.
  jest.setTimeout(STACK_UP_MS);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const doctor = (
    args: readonly string[],
    env: Record<string, string> = {},
    { toml = '', node = process.execPath, place = (call: Call): Call => call } = {},
  ): Promise<Ended> => {
    writeFileSync(join(folder, 'settings.toml'), toml);
    const inherited = Object.entries(process.env).filter(([name]) => /^(PATH|TMPDIR|LANG)$/.test(name));
    const all = {
      ...Object.fromEntries(inherited),
      HOME: folder,
      OPENCLAW_RL_CONFIG: join(folder, 'settings.toml'),
      ...env,
    };
    return new Promise((resolve) => {
      const call = place({ file: node, args: ['scripts/doctor.mjs', ...args] });
      execFile(call.file, call.args, { cwd: ROOT, env: all }, (error, output, errors) => {
        resolve({ code: error === null ? 0 : Number(error.code), output, errors });
      });
    });
  };

  /** The doctor's findings by check, on doors that are free. */
  const reportOf = async (
    ...[args, env = {}, more = {}]: Parameters<typeof doctor>
  ): Promise<Record<string, object>> => {
    const doors = { PORT: String(await freePort()), OPENCLAW_RL_DOOR_PORT: String(await freePort()) };
    const { output } = await doctor(['--json', ...args], { ...doors, ...env }, more);
    return Object.fromEntries((JSON.parse(output) as Report).checks.map((check) => [check.id, check]));
  };

  it(
    'finds what npm start has started, from another shell, and what is configured since and not taken in',
    async () => {
      const stack: Stack = await startStack({});
      try {
        const state = ['--state', join(stack.folder, 'state')];
        const { code, output } = await doctor(['--json', '--running', ...state]);
        const { ok, checks } = JSON.parse(output) as Report;
        expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
        expect([ok, code]).toEqual([true, 0]);
        expect(checks.find(({ id }) => id === 'turn')?.seen).toMatch(/settled as no_next_state, removed$/);
        expect(checks.find(({ id }) => id === 'route')?.seen).toContain('sglext');
        const url = `http://127.0.0.1:${await freePort()}`;
        const changed = await doctor(state, {}, { toml: `[server]\nbase_url = "${url}"\npolicy_model = "m"\n` });
        expect(changed.output).toMatch(/^warning +settings in use +server\.base_url is .*the running stack has none/m);
        expect(changed.output).toContain('-> stop npm start and start it again');
        expect(changed.output).toMatch(
          new RegExp(`^FAILED +policy +.*connection refused at ${new URL(url).host}`, 'm'),
        );
        expect(changed.code).toBe(1);
      } finally {
        await stack.stop();
      }
    },
    2 * STACK_UP_MS,
  );

  it(
    'tells a line for each check and what to do, and ends with 1 where something has failed',
    async () => {
      const [port, door] = [String(await freePort()), String(await freePort())];
      const env = { PORT: port, OPENCLAW_RL_DOOR_PORT: door };
      const healthy = await doctor(['--state', folder], env);
      expect(healthy.output).toMatch(/^- +NATS +not running: npm start/m);
      expect(healthy.code).toBe(0);
      const broken = await doctor(['--state', folder], env, { toml: '[judge]\nvote = 3\n' });
      expect(broken.output).toMatch(/^FAILED +settings .*did you mean judge\.votes\?/m);
      expect(broken.output.match(/^-.*$/gm)).toEqual([
        expect.stringMatching(/^- +not checked +because settings has failed: settings in use, .*, a whole turn$/),
      ]);
      expect(broken.code).toBe(1);
      const { code, errors } = await doctor(['--jsn']);
      expect([code, errors]).toEqual([1, expect.stringContaining("'--jsn'")]);
    },
    STACK_UP_MS,
  );

  it('tells a clock that has lost its time', async () => {
    const preload = join(folder, 'clock.cjs');
    writeFileSync(preload, 'Date.now = () => 86400000;');
    const report = await reportOf(['--state', folder], { NODE_OPTIONS: `--require ${preload}` });
    expect(report.clock).toMatchObject({
      status: 'failed',
      seen: "this machine's clock says 1970-01-02T00:00:00.000Z",
      remedy: 'set it: switch NTP on',
    });
  });

  (hasNamespaces() ? describe : describe.skip)(
    hasNamespaces()
      ? 'in a world of its own'
      : 'in a world of its own (needs Linux with user namespaces: unshare -Urm)',
    () => {
      it('tells a full disk', async () => {
        const full = [`mkdir ${folder}/state`, `mount -t tmpfs -o size=1m full ${folder}/state`];
        const fill = `head -c 2000000 /dev/zero > ${folder}/state/turns 2>/dev/null || true`;
        const place = (call: Call): Call => inNamespace([...full, fill].join('\n'), call);
        const report = await reportOf(['--state', join(folder, 'state')], {}, { place });
        expect(report.disk).toMatchObject({
          status: 'failed',
          seen: `0.0 GB are free where ${folder}/state is`,
          remedy: expect.stringContaining('make room'),
        });
      });

      it('tells a localhost with two addresses of which one answers', async () => {
        const server = await new OddServer(() => ({ body: {} })).start();
        const hosts = `printf '::1 localhost\n127.0.0.1 localhost\n' > ${folder}/hosts`;
        const place = (call: Call): Call => inNamespace(`${hosts}\nmount --bind ${folder}/hosts /etc/hosts`, call);
        const env = {
          OPENCLAW_RL_SERVER_BASE_URL: `http://localhost:${server.port}`,
          OPENCLAW_RL_SERVER_POLICY_MODEL: 'm',
        };
        try {
          const { policy } = await reportOf(['--state', folder], env, { place });
          expect(policy).toMatchObject({
            status: 'warning',
            seen: expect.stringMatching(
              new RegExp(`localhost is .*::1.* here, and only 127.0.0.1 answers on port ${server.port}$`),
            ),
            remedy: expect.stringContaining(`write 127.0.0.1:${server.port} in server.base_url`),
          });
        } finally {
          server.stop();
        }
      });

      (firstOpenPort() > 80 ? it : it.skip)('tells a port that only root may listen on', async () => {
        const report = await reportOf(['--state', folder], { PORT: '80' }, { place: withoutPrivileges });
        expect(report.ports).toMatchObject({
          status: 'failed',
          seen: 'port 80 on 127.0.0.1 cannot be listened on (EACCES)',
          remedy: 'set gateway.port to another port, from 1024 on',
        });
      });
    },
  );

  const oldNode = findOldNode();
  (oldNode === null ? it.skip : it)(
    oldNode === null ? 'tells a Node that is too old (npm has none for this machine)' : 'tells a Node that is too old',
    async () => {
      const node = oldNode ?? '';
      const { code, output } = await doctor([], {}, { node });
      expect(output).toBe(
        'FAILED   Node                      Node 18.20.8 is too old\n         -> install Node 20.19 or newer\n',
      );
      expect(code).toBe(1);
      const report = JSON.parse((await doctor(['--json'], {}, { node })).output) as Report;
      expect(report).toMatchObject({ ok: false, checks: [{ id: 'node', status: 'failed' }] });
    },
  );
});
