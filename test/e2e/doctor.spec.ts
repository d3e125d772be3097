import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/testing';
import { findOldNode } from '../support/old-node';
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
    { toml = '', node = process.execPath } = {},
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
      execFile(node, ['scripts/doctor.mjs', ...args], { cwd: ROOT, env: all }, (error, output, errors) => {
        resolve({ code: error === null ? 0 : Number(error.code), output, errors });
      });
    });
  };

  it(
    'finds what npm start has started, by its note, and nothing wrong with it',
    async () => {
      const stack: Stack = await startStack({});
      try {
        const { code, output } = await doctor(['--json', '--running', '--state', join(stack.folder, 'state')], {
          OPENCLAW_RL_NATS_STORE_GB: '1',
        });
        const { ok, checks } = JSON.parse(output) as Report;
        expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
        expect([ok, code]).toEqual([true, 0]);
        expect(checks.find(({ id }) => id === 'turn')?.seen).toMatch(/settled as no_next_state, removed$/);
        expect(checks.find(({ id }) => id === 'route')?.seen).toContain('sglext');
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
      expect(broken.code).toBe(1);
      const { code, errors } = await doctor(['--jsn']);
      expect([code, errors]).toEqual([1, expect.stringContaining("'--jsn'")]);
    },
    STACK_UP_MS,
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
