import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

describe('npm run pocket:pretrain', () => {
  it.each(['100', '150.5', 'many'])(
    'refuses --steps %s before it does anything',
    (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'pretrain-'));
      const state = join(folder, 'state');
      const { status, stderr } = spawnSync(
        process.execPath,
        ['scripts/pocket-pretrain.mjs', '--steps', steps, '--state', state, '--out', join(folder, 'out')],
        { cwd: ROOT, encoding: 'utf8' },
      );
      expect(status).toBe(1);
      expect(stderr).toContain(`--steps is ${steps}; allowed: a whole number above 100, the steps of the warm-up`);
      expect(existsSync(state)).toBe(false);
      rmSync(folder, { recursive: true, force: true });
    },
    120_000,
  );
});
