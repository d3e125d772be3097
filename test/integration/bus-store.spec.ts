import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bus, BusModule, streamCreatedAt } from '@app/bus';
import { SettingsModule } from '@app/config';
import { STREAMS } from '@app/contracts';
import { TelemetryModule } from '@app/telemetry';
import { startNatsServer, type NatsServer } from '@app/testing';
import { settingsFrom } from '../support/settings-from';

describe('a store that holds the streams once', () => {
  let folder: string;
  let server: NatsServer;
  const buses: Bus[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
    const storeDir = join(folder, 'nats');
    const config = `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file_store: 1GB }`;
    server = await startNatsServer({ storeDir, config });
  });

  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function declareAll(storeGb: number): Promise<void> {
    const bus = new Bus({ url: server.url, app: 'test', storeGb, replicas: 1 });
    buses.push(bus);
    await bus.ready();
  }

  it('takes declarations of many services at once, and again after a restart', async () => {
    await Promise.all([1, 2, 3, 4].map(() => declareAll(1)));
    await declareAll(1);
    await server.restart();
    await declareAll(1);
  });

  it('knows when a stream was created, whatever restarts and changes of its size came after', async () => {
    const seen = new Set<number>();
    for (const storeGb of [1, 1, 0.5, 0.5, 1]) {
      await declareAll(storeGb);
      const { jsm } = buses.at(-1)!.connection.current();
      seen.add(streamCreatedAt(await jsm.streams.info('RL_SAMPLES')));
      await server.kill();
      await server.restart();
    }
    expect(seen.size).toBe(1);
  });

  describe('of an app', () => {
    @Module({})
    class EmptyApp {}

    const startApp = (env: Readonly<Record<string, string>>): Promise<INestApplicationContext> => {
      const settings = settingsFrom({ OPENCLAW_RL_NATS_URL: server.url, ...env });
      const imports = [SettingsModule.forRoot(settings), TelemetryModule, BusModule.forApp('test')];
      return NestFactory.createApplicationContext({ module: EmptyApp, imports }, { logger: false });
    };

    it('is as large as nats.store_gb says', async () => {
      const app = await startApp({ OPENCLAW_RL_NATS_STORE_GB: '0.25' });
      try {
        const bus = app.get(Bus);
        await bus.ready();
        const { config } = await bus.connection.current().jsm.streams.info('RL_SAMPLES');
        expect(config.max_bytes).toBe(Math.floor(0.25 * 1024 ** 3 * STREAMS.RL_SAMPLES.shareOfStore));
      } finally {
        await app.close();
      }
    });

    it('is kept in nats.replicas copies, which a server alone cannot', async () => {
      const app = await startApp({ OPENCLAW_RL_NATS_STORE_GB: '1', OPENCLAW_RL_NATS_REPLICAS: '3' });
      try {
        await expect(app.get(Bus).ready()).rejects.toThrow('replicas > 1 not supported in non-clustered mode');
      } finally {
        await app.close();
      }
    });
  });

  it('says that it is too small', async () => {
    await expect(declareAll(4)).rejects.toThrow('insufficient storage resources');
  });
});
