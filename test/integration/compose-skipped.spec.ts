import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/compose-file';

describe('npm run test:compose where there is no engine', () => {
  let programs: string;

  beforeAll(() => {
    programs = mkdtempSync(join(tmpdir(), 'programs-'));
    symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(programs, 'git'));
  });

  afterAll(() => {
    rmSync(programs, { recursive: true });
  });

  it('says why it runs nothing, and does not fail', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/test-compose.mjs')], {
      // Neither Docker nor what it could be installed with; whatever is this program is taken for nats-server.
      env: { PATH: programs, NATS_SERVER_BIN: process.execPath },
    });
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^Skipped: there is no Docker with Compose 2\.24 or later, and .+\. The compose files are not run\.$/,
      ),
      '0 passed, 0 failed',
    ]);
  });
});
