import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@app/config';
import { settingsFrom } from '../support/settings-from';

describe("a developer's own openclaw-rl.toml", () => {
  const before = process.cwd();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
    writeFileSync(join(folder, 'openclaw-rl.toml'), '[gateway]\nport = 31999\nallow_unauthenticated = true\n');
    process.chdir(folder);
  });

  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it('counts for services, and not for tests', () => {
    expect(loadSettings({}).gateway).toMatchObject({ port: 31_999, allowUnauthenticated: true });
    expect(settingsFrom({}).gateway).toMatchObject({ port: 30_000, allowUnauthenticated: false });
  });
});
