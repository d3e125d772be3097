import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bus } from '@app/bus';
import { CONSUMERS, scopeOf, STREAM_NAMES } from '@app/contracts';
import { startEngineDouble, startNatsCluster, startNatsServer, until } from '@app/testing';
import { readCommand } from '../../apps/bus-admin/src/options';
import { run } from '../../apps/bus-admin/src/run';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { Loop } from './loop-harness';

const WAIT_MS = 20_000;
const TEST_MS = 240_000;
const KEYS = { ANNAS_KEY: 'sk-anna', BENS_KEY: 'sk-ben', NOBODYS_KEY: 'sk-nobody' };
const ANNA = { authorization: `Bearer ${KEYS.ANNAS_KEY}` };
const BEN = { authorization: `Bearer ${KEYS.BENS_KEY}` };

/** Files below a folder that hold some words. */
const filesWith = (folder: string, words: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => {
    const path = join(folder, file);
    return statSync(path).isFile() && readFileSync(path).includes(words);
  });

describe("the deletion of a user's data", () => {
  let opened: Opened;
  let records: string;
  let engineUrl: string;

  beforeEach(async () => {
    opened = new Opened();
    records = mkdtempSync(join(tmpdir(), 'records-'));
    engineUrl = opened.add(await startEngineDouble()).url;
  });
  afterEach(async () => {
    await opened.close();
    rmSync(records, { recursive: true });
  });

  const openBus = async (url: string, replicas: number): Promise<Bus> => {
    const bus = opened.add(new Bus({ app: 'test', url, storeGb: 1, replicas }));
    const declared = (): Promise<boolean> => bus.ready().then(() => true);
    await until(declared, { what: 'streams and buckets', timeoutMs: TEST_MS / 2 });
    return bus;
  };

  /** Two users talk, the first one in two sessions, one of which has no name; everything is recorded. */
  const talk = async (natsUrl: string, replicas: number, bus: Bus): Promise<Loop> => {
    const env = {
      OPENCLAW_RL_GATEWAY_API_KEYS: [KEYS.ANNAS_KEY, KEYS.BENS_KEY].join(','),
      OPENCLAW_RL_RECORDS_ENABLED: 'true',
      OPENCLAW_RL_RECORDS_DIR: records,
    };
    const loop = opened.add(await Loop.start({ natsUrl, engineUrl, replicas, env }));
    const { jsm } = bus.connection.current();
    const { stream, durable } = CONSUMERS.records;
    await until(() => jsm.consumers.info(stream, durable), { what: 'the records have begun', timeoutMs: WAIT_MS });
    for (let turn = 0; turn < 3; turn += 1) {
      await loop.turn('work', `anna says parsley ${turn}, great`, ANNA);
      await loop.turn('unnamed', `anna says parsley again ${turn}, great`, ANNA);
      await loop.turn('work', `ben says juniper ${turn}, great`, BEN);
    }
    await until(() => filesWith(records, 'juniper').length > 0 && filesWith(records, 'parsley').length > 1, {
      what: 'records of both',
      timeoutMs: WAIT_MS,
    });
    return loop;
  };

  const forget = async (url: string, replicas: number, ...more: string[]): Promise<string> => {
    const command = readCommand(['delete', ...more], KEYS)!;
    const settings = settingsFrom({ NATS_URL: url, OPENCLAW_RL_NATS_REPLICAS: String(replicas) });
    return (await run(command, settings)).text;
  };

  /** Messages of a caller that any stream still gives out. */
  const readable = async (bus: Bus, key: string): Promise<number> => {
    const scope = scopeOf({ apiKey: key });
    let count = 0;
    for (const stream of STREAM_NAMES) {
      for await (const { info } of bus.scan(stream)) if (info.includes(scope)) count += 1;
    }
    return count;
  };

  it(
    'leaves nothing of any session, in no stream, record or file, and the other users as they were',
    async () => {
      const nats = opened.add(await startNatsServer());
      const bus = await openBus(nats.url, 1);
      const loop = await talk(nats.url, 1, bus);
      expect(await forget(nats.url, 1, '--key-env', 'ANNAS_KEY')).toMatch(/Nothing of them can be read any more/);
      expect(await readable(bus, KEYS.ANNAS_KEY)).toBe(0);
      expect(await readable(bus, KEYS.BENS_KEY)).toBeGreaterThanOrEqual(6);
      await loop.close();
      expect([...filesWith(nats.storeDir, 'parsley'), ...filesWith(records, 'parsley')]).toEqual([]);
      expect(filesWith(nats.storeDir, 'juniper').length * filesWith(records, 'juniper').length).toBeGreaterThan(0);
      expect(await forget(nats.url, 1, '--key-env', 'ANNAS_KEY').catch(String)).toMatch(/^No message|does not answer/);
    },
    TEST_MS,
  );

  it(
    'of one session leaves the others',
    async () => {
      const nats = opened.add(await startNatsServer());
      const bus = await openBus(nats.url, 1);
      await talk(nats.url, 1, bus);
      await forget(nats.url, 1, '--key-env', 'ANNAS_KEY', '--session', 'work');
      expect(filesWith(records, 'parsley 0')).toEqual([]);
      expect(filesWith(nats.storeDir, 'parsley 0')).toEqual([]);
      expect(filesWith(nats.storeDir, 'parsley again 0')).not.toEqual([]);
      expect(filesWith(nats.storeDir, 'juniper 0')).not.toEqual([]);
    },
    TEST_MS,
  );

  it(
    'of a key or session that nobody knows, or that is deleted already, says that nothing was kept of it, and is no failure',
    async () => {
      const nats = opened.add(await startNatsServer());
      const bus = await openBus(nats.url, 1);
      await talk(nats.url, 1, bus);
      const said = (...who: string[]): Promise<string> => forget(nats.url, 1, ...who);
      const nobody = await said('--key-env', 'NOBODYS_KEY');
      expect(nobody).toMatch(
        /^No message of the API key in NOBODYS_KEY is stored: nothing was deleted\. .* right one\?$/m,
      );
      expect(nobody).not.toContain(KEYS.NOBODYS_KEY);
      expect(await said('--address', '203.0.113.7')).toMatch(/^No message of the address 203\.0\.113\.7 is stored/);
      const unknown = await said('--key-env', 'ANNAS_KEY', '--session', 'wrok');
      expect(unknown).toMatch(/^No message and no record of session "wrok" of the API key in ANNAS_KEY is kept/);
      expect(await said('--key-env', 'ANNAS_KEY', '--session', 'work')).toMatch(/^[1-9]\d* messages and [1-9]/);
      expect(await said('--key-env', 'ANNAS_KEY', '--session', 'work')).toMatch(/^No message and no record/);
    },
    TEST_MS,
  );

  it(
    'reaches a server of the cluster that was away, and says which one is; once it is restarted no server has a word of it',
    async () => {
      const cluster = opened.add(await startNatsCluster());
      const bus = await openBus(cluster.url, 3);
      await talk(cluster.url, 3, bus);
      const away = cluster.servers.get('n3')!;
      await away.kill();
      const command = () => forget(cluster.url, 3, '--key-env', 'ANNAS_KEY');
      const said = await command();
      expect(said).toMatch(/n3 is away: its copies follow when it is back/);
      expect(await readable(bus, KEYS.ANNAS_KEY)).toBe(0);
      await away.restart();
      await cluster.healthy();
      await until(async () => /^No message(?![^]*is away)/.test(await command()), {
        what: 'it is back',
        timeoutMs: WAIT_MS,
      });
      // What servers have told each other stays in their logs until these are written anew, at the latest when they end.
      for (const server of cluster.servers.values()) {
        await server.restart();
        await cluster.healthy();
      }
      for (const { storeDir } of cluster.servers.values()) {
        expect(filesWith(storeDir, 'parsley')).toEqual([]);
        expect(filesWith(storeDir, 'juniper')).not.toEqual([]);
      }
      expect(filesWith(records, 'parsley')).toEqual([]);
    },
    TEST_MS,
  );
});
