import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runApp } from '@app/telemetry';
import { PocketEngineModule } from '../../apps/pocket-engine/src/pocket-engine.module';
import { configureHttp } from '../../apps/pocket-engine/src/protocol/configure-http';
import { settingsFrom } from './settings-from';

export const POCKET_WEIGHTS = join(__dirname, '../../libs/pocket-lm/weights');

export interface PocketEngine {
  readonly url: string;
  close(): Promise<void>;
}

/** The pocket engine with the weights that ship, in this process, on a free port. */
export const startPocketEngine = async (variables: Record<string, string> = {}): Promise<PocketEngine> => {
  const folder = mkdtempSync(join(tmpdir(), 'pocket-engine-'));
  const settings = settingsFrom({
    OPENCLAW_RL_POCKET_SERVED_FILE: join(folder, 'served.json'),
    OPENCLAW_RL_POCKET_MODEL_DIR: POCKET_WEIGHTS,
    OPENCLAW_RL_POCKET_PORT: '0',
    ...variables,
  });
  const app = await runApp({
    module: PocketEngineModule.forSettings(settings),
    host: settings.pocket.host,
    port: settings.pocket.port,
    logLevel: 'error',
    logFormat: 'text',
    configure: configureHttp,
  });
  const close = async (): Promise<void> => {
    await app.close();
    rmSync(folder, { recursive: true });
  };
  return { url: await app.getUrl(), close };
};
