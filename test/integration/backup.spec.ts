import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bus } from '@app/bus';
import { BUCKETS, CONSUMERS, STREAM_NAMES, TurnFollowed, TurnSettled } from '@app/contracts';
import { startEngineDouble, startNatsCluster, startNatsServer, until } from '@app/testing';
import { MANIFEST } from '../../apps/bus-admin/src/backup/manifest';
import { writeTail } from '../../apps/bus-admin/src/backup/tail';
import { takeSnapshot } from '../../apps/bus-admin/src/backup/take-snapshot';
import { putSnapshot } from '../../apps/bus-admin/src/restore/put-snapshot';
import { putTail } from '../../apps/bus-admin/src/restore/put-tail';
import { run } from '../../apps/bus-admin/src/run';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { IMPATIENT, Loop, outcomesIn, untilQuiet } from './loop-harness';

const CLIENTS = 3;
const LOAD_MS = 60_000;
const TEST_MS = 4 * LOAD_MS;

/** Where the streams are, and how many copies of them there are. */
interface Place {
  readonly url: string;
  readonly replicas: number;
  readonly storeGb?: string;
}

const settingsOf = ({ url, replicas, storeGb = '1' }: Place) =>
  settingsFrom({
    NATS_URL: url,
    OPENCLAW_RL_NATS_STORE_GB: storeGb,
    OPENCLAW_RL_NATS_REPLICAS: String(replicas),
  });

const backUp = async (place: Place, folder: string) => (await run({ name: 'backup', folder }, settingsOf(place))).text;
const restore = async (place: Place, folder: string, replace = false) =>
  (await run({ name: 'restore', folder, replace }, settingsOf(place))).text;

let opened: Opened;
let parent: string;
let folder: string;

beforeEach(() => {
  opened = new Opened();
  parent = mkdtempSync(join(tmpdir(), 'backup-'));
  folder = join(parent, 'today');
});
afterEach(async () => {
  await opened.close();
  rmSync(parent, { recursive: true, force: true });
});

const openBus = async ({ url, replicas }: Place): Promise<Bus> => {
  const bus = opened.add(new Bus({ app: 'test', url, storeGb: 1, replicas }));
  // A cluster that has just begun takes its time.
  await until(() => bus.ready().then(() => true), { what: 'streams and buckets', timeoutMs: LOAD_MS });
  return bus;
};

const follow = async (bus: Bus, ...turnIds: readonly string[]): Promise<void> => {
  for (const turnId of turnIds) {
    const info = { turnId, session: 's', role: 'user', nextTurnId: 'n' } as const;
    await bus.publish(TurnFollowed, [turnId], { info, head: {} });
  }
};

describe('a backup that is taken under load', () => {
  let engineUrl: string;

  beforeEach(async () => {
    engineUrl = opened.add(await startEngineDouble()).url;
  });

  const loopOn = ({ url, replicas }: Place, env: Record<string, string> = {}): Promise<Loop> =>
    Loop.start({ natsUrl: url, engineUrl, replicas, env });

  /** Clients that talk, five turns a session, until they are told to stop. */
  const talk = (loop: Loop) => {
    let isOver = false;
    let turns = 0;
    const client = async (name: string): Promise<void> => {
      for (let i = 0; !isOver; i += 1) {
        await loop.turn(`${name}-${Math.floor(i / 5)}`);
        turns += 1;
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(`client-${i}`)));
    // What one of them says is said when they stop.
    clients.catch(() => undefined);
    return {
      more: async (count: number): Promise<void> => {
        const goal = turns + count;
        await until(() => turns >= goal, { what: `${count} more turns`, timeoutMs: LOAD_MS });
      },
      stop: async (): Promise<void> => {
        isOver = true;
        await clients;
      },
    };
  };

  /** A store of which eight samples have been trained, four are leased, and some wait; one session is open. */
  const backUpUnderLoad = async (place: Place) => {
    await openBus(place);
    const loop = await loopOn(place);
    try {
      const open = await loop.turn('open', 'hello');
      const load = talk(loop);
      const { leaseId, turns: trained } = await loop.lease(8, 8);
      await loop.acknowledge(leaseId);
      const { turns: held } = await loop.lease(4, 4);
      await load.more(10);
      expect(await backUp(place, folder)).toContain(`${folder} is whole`);
      await load.more(5);
      await load.stop();
      return { loop, open, trained, held };
    } finally {
      await loop.close();
    }
  };

  /** Its clients go on, and everything that the backup holds comes to its end, once. */
  const goOn = async (place: Place, was: Awaited<ReturnType<typeof backUpUnderLoad>>): Promise<void> => {
    const bus = await openBus(place);
    const loop = await loopOn(place);
    try {
      loop.take('open', was.loop);
      await loop.turn('open');
      const what = 'a turn of before is followed';
      const { info } = await until(() => bus.read(TurnSettled, was.open), { what, timeoutMs: LOAD_MS });
      expect(info).toMatchObject({ kind: 'sample', score: 1 });
    } finally {
      await loop.close();
    }
    const last = await loopOn(place, IMPATIENT);
    try {
      await untilQuiet(bus);
      const outcomes = [...(await outcomesIn(bus)).values()];
      // An answer that came while the backup was written may be without its end, or one that was followed without itself.
      const reasons = new Set(
        outcomes.flatMap((outcome) => (outcome?.kind === 'reason' ? (outcome.reason ?? '') : [])),
      );
      expect([...reasons].filter((reason) => !/^(no_next_state|gateway_lost|turn_lost)$/.test(reason))).toEqual([]);
      const samples = outcomes.flatMap((outcome) => (outcome?.kind === 'sample' ? outcome.turnId : []));
      expect(samples).toEqual(expect.arrayContaining([...was.trained, ...was.held]));
      // Those that were leased are so still.
      const waiting = samples.filter((turnId) => !was.trained.includes(turnId) && !was.held.includes(turnId));
      expect((await last.trainAll()).sort()).toEqual(waiting.sort());
      expect(waiting.length).toBeGreaterThan(0);
    } finally {
      await last.close();
    }
  };

  it(
    'is gone on with after the store was lost: every turn has its outcome, every sample is trained on once',
    async () => {
      const lost = await startNatsServer();
      const was = await backUpUnderLoad({ url: lost.url, replicas: 1 });
      await lost.stop();
      const { url } = opened.add(await startNatsServer());
      expect(await restore({ url, replicas: 1 }, folder)).toContain('is in place');
      await goOn({ url, replicas: 1 }, was);
    },
    TEST_MS,
  );

  it(
    'is the same on a cluster of three, and may be restored to another one',
    async () => {
      const lost = await startNatsCluster();
      const was = await backUpUnderLoad({ url: lost.url, replicas: 3 });
      await lost.stop();
      const cluster = opened.add(await startNatsCluster());
      const place = { url: cluster.url, replicas: 3 };
      await restore(place, folder);
      const { jsm } = (await openBus(place)).connection.current();
      for (const name of [...STREAM_NAMES, ...Object.values(BUCKETS).map((bucket) => `KV_${bucket.name}`)]) {
        expect((await jsm.streams.info(name)).config.num_replicas).toBe(3);
      }
      await goOn(place, was);
    },
    TEST_MS,
  );
});

describe('a backup', () => {
  let place: Place;
  let bus: Bus;

  beforeEach(async () => {
    place = { url: opened.add(await startNatsServer()).url, replicas: 1 };
    bus = await openBus(place);
    await follow(bus, 't1', 't2', 't3', 't4');
  });

  it('keeps where each queue was: what is done, what is in hand, what waits', async () => {
    const { js, jsm } = bus.connection.current();
    const { stream, durable } = CONSUMERS.judge;
    const worker = bus.consume({ consumer: CONSUMERS.judge, slots: 1, handle: () => Promise.resolve() });
    const info = () => jsm.consumers.info(stream, durable);
    await until(async () => (await info()).ack_floor.stream_seq === 4, { what: 'four are done' });
    await worker.stop();
    await follow(bus, 't5', 't6', 't7');
    await (await js.consumers.get(stream, durable)).next();
    const stands = async () => {
      const { ack_floor, num_pending, num_ack_pending, config } = await info();
      return { floor: ack_floor.stream_seq, num_pending, num_ack_pending, config };
    };
    const before = await stands();
    expect(before).toMatchObject({ floor: 4, num_pending: 2, num_ack_pending: 1 });
    await backUp(place, folder);
    await restore(place, folder, true);
    expect(await stands()).toEqual(before);
  });

  it('takes messages that came behind a snapshot to the places that they had, whatever was deleted of them', async () => {
    const session = bus.connection.current();
    const { jsm } = session;
    const name = 'RL_FOLLOWS';
    const target = { folder: parent, inboxPrefix: '_INBOX.test' };
    const taken = { name, consumers: [], ...(await takeSnapshot(session, name, true, target)) };
    await follow(bus, 't5', 't6', 't7', 't8', 't9');
    for (const sequence of [5, 7, 9]) await jsm.streams.deleteMessage(name, sequence);
    const all = async () => {
      const stored = await Promise.all(
        Array.from({ length: 9 }, (_, i) => jsm.streams.getMessage(name, { seq: i + 1 })),
      );
      return stored.map(
        (message) => message && [message.subject, message.seq, message.header.get('rl-info'), [...message.data]],
      );
    };
    const before = await all();
    expect(before.map((message) => message !== null)).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
    const stream = { ...taken, tail: await writeTail(session, taken, 9, parent) };
    await jsm.streams.delete(name);
    await putSnapshot(session, stream, {}, parent);
    await putTail(session, stream, parent);
    expect(await all()).toEqual(before);
    await follow(bus, 't10');
    expect((await jsm.streams.info(name)).state).toMatchObject({ last_seq: 10, messages: 7 });
  });

  it('is readable by its owner alone', async () => {
    await backUp(place, folder);
    const modes = readdirSync(folder).map((file) => statSync(join(folder, file)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('goes into a new folder only', async () => {
    await backUp(place, folder);
    await expect(backUp(place, folder)).rejects.toThrow('is not empty');
  });

  it('of a server that has nothing of ours is none', async () => {
    const { url } = opened.add(await startNatsServer());
    await expect(backUp({ url, replicas: 1 }, folder)).rejects.toThrow('no stream of ours');
    await expect(restore(place, folder, true)).rejects.toThrow('cut short');
  });

  describe('is refused, and nothing is touched,', () => {
    const stored = async (): Promise<number> => {
      const { jsm } = bus.connection.current();
      return (await jsm.streams.info('RL_FOLLOWS')).state.messages;
    };

    beforeEach(async () => {
      await backUp(place, folder);
      await follow(bus, 'later');
    });
    afterEach(async () => {
      expect(await stored()).toBe(5);
    });

    const change = (file: string, edit: (text: string) => string): void => {
      const path = join(folder, file);
      writeFileSync(path, edit(readFileSync(path, 'utf8')));
    };

    it.each<[string, RegExp, () => void]>([
      [
        'with a damaged chunk',
        /damaged: RL_FOLLOWS.snapshot is not as it was/,
        () => {
          const path = join(folder, 'RL_FOLLOWS.snapshot');
          const bytes = readFileSync(path);
          bytes[bytes.length - 9]! ^= 1;
          writeFileSync(path, bytes);
        },
      ],
      [
        'with half a file',
        /damaged: KV_rl-policy.snapshot has \d+ bytes/,
        () => {
          truncateSync(join(folder, 'KV_rl-policy.snapshot'), 5);
        },
      ],
      [
        'with a longer file',
        /damaged: RL_TURNS.tail has 1 bytes/,
        () => {
          appendFileSync(join(folder, 'RL_TURNS.tail'), '\n');
        },
      ],
      [
        'without a file',
        /incomplete: RL_DEAD.snapshot is missing/,
        () => {
          rmSync(join(folder, 'RL_DEAD.snapshot'));
        },
      ],
      [
        'without its manifest',
        /cut short/,
        () => {
          rmSync(join(folder, MANIFEST));
        },
      ],
      [
        'with half a manifest',
        /manifest.json is damaged/,
        () => {
          change(MANIFEST, (text) => text.slice(0, 100));
        },
      ],
      [
        'with another word in its manifest',
        /manifest.json is damaged/,
        () => {
          change(MANIFEST, (text) => text.replace('"RL_TURNS"', '"RL_DEAD"'));
        },
      ],
      [
        'of a newer format',
        /format 2, this version reads format 1/,
        () => {
          change(MANIFEST, (text) => text.replace('"format": 1', '"format": 2'));
        },
      ],
    ])('%s', async (_, words, damage) => {
      damage();
      await expect(restore(place, folder, true)).rejects.toThrow(words);
    });

    it('where the server holds streams already, unless they are to be replaced', async () => {
      await expect(restore(place, folder)).rejects.toThrow(/holds RL_TURNS, .* --replace/);
    });

    it('while a service is at work', async () => {
      const worker = bus.consume({ consumer: CONSUMERS.judge, slots: 1, handle: () => Promise.resolve() });
      const { jsm } = bus.connection.current();
      await until(async () => (await jsm.consumers.info('RL_FOLLOWS', 'prm-judge')).num_waiting > 0, { what: 'work' });
      await expect(restore(place, folder, true)).rejects.toThrow(
        /prm-judge is at work on RL_FOLLOWS: stop every service/,
      );
      await worker.stop();
    });

    it('where the settings ask for copies that one server cannot keep', async () => {
      await expect(restore({ ...place, replicas: 3 }, folder, true)).rejects.toThrow('the server stands alone');
    });
  });
});
