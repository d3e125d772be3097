import type { KV } from '@nats-io/kv';
import { rmSync } from 'node:fs';
import {
  Bus,
  BusUnavailableError,
  ContentionError,
  MessageTooLargeError,
  NotYetError,
  OutageError,
  type Delivery,
  type Subscription,
} from '@app/bus';
import {
  BUCKETS,
  CONSUMERS,
  DeadLetter,
  FeedbackGiven,
  TurnFollowed,
  type ConsumerDefinition,
  type TurnFollowedInfo,
} from '@app/contracts';
import { TracingSettings } from '@app/config';
import { errorName } from '@app/telemetry';
import { openTracer, type Tracer } from '@app/tracing';
import { freePort, startNatsServer, until, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';

const STORE = { storeGb: 0.05, replicas: 1 };
const FOLLOWS: ConsumerDefinition = { ...CONSUMERS.judge, ackWaitSeconds: 2 };

/** Thrown by handlers of this test: the same work may succeed later. */
class BusyError extends Error {
  override readonly name = 'BusyError';
  readonly retryable = true;
}

const infoOf = (turnId: string): TurnFollowedInfo => ({ turnId, session: 's', role: 'user', nextTurnId: 'n' });

describe('the bus', () => {
  const opened = new Opened();
  let server: NatsServer;

  const newBus = (
    options: {
      app?: string;
      url?: string;
      storeGb?: number;
      tracer?: Tracer;
      onHandlerError?: (d: Delivery, e: unknown) => void;
    } = {},
  ): Bus => opened.add(new Bus({ url: server.url, app: 'test', ...STORE, ...options }));
  const follow = (bus: Bus, turnId: string) => bus.publish(TurnFollowed, [turnId], { info: infoOf(turnId), head: {} });
  const turnOf = (delivery: Delivery): string => TurnFollowed.decodeInfo(delivery).turnId;

  beforeEach(async () => {
    server = opened.add(await startNatsServer());
  });
  afterEach(() => opened.close());

  describe('publishing', () => {
    it('stores a message once, whichever process comes first', async () => {
      const [one, two] = [newBus(), newBus()];
      await Promise.all([one.ready(), two.ready()]);
      const results = await Promise.all([follow(one, 'a'), follow(two, 'a'), follow(one, 'a'), follow(two, 'a')]);
      expect(results.sort()).toEqual(['exists', 'exists', 'exists', 'stored']);
    });

    it('keeps the first of two that differ', async () => {
      const [one, two] = [newBus(), newBus()];
      await one.ready();
      await follow(one, 'a');
      const other = { info: { ...infoOf('a'), session: 'other' }, head: {} };
      await expect(two.publish(TurnFollowed, ['a'], other)).resolves.toBe('exists');
      expect((await two.read(TurnFollowed, 'a'))?.info.session).toBe('s');
    });

    it('needs no preparation: the first message finds its stream', async () => {
      await expect(follow(newBus(), 'a')).resolves.toBe('stored');
    });

    it('refuses what is larger than the server takes, and takes what just fits', async () => {
      const Big = { info: infoOf('a'), head: {} };
      const bus = newBus();
      const arrays = (bytes: number) => ({ data: new Uint8Array(bytes) });
      await expect(
        bus.publish(TurnFollowed, ['a'], { ...Big, arrays: arrays(8 * 1024 * 1024) }),
      ).rejects.toBeInstanceOf(MessageTooLargeError);
      await expect(bus.publish(TurnFollowed, ['a'], { ...Big, arrays: arrays(8 * 1024 * 1024 - 1024) })).resolves.toBe(
        'stored',
      );
    });

    it('knows whether a message fits together with its trace', async () => {
      // Not sampled: nothing is sent, and the header is there.
      const tracing = Object.assign(new TracingSettings(), { enabled: true, sampleRatio: 0 });
      const ignored = () => undefined;
      const tracer = await openTracer('gateway', tracing, {
        onDropped: ignored,
        onOutage: ignored,
        onRecovery: ignored,
      });
      opened.add(tracer);
      const bus = newBus({ tracer });
      const publish = (turnId: string, bytes: number) =>
        tracer.turn(turnId, { name: 'chat' }, () =>
          bus.publishEncoded({
            subject: TurnFollowed.subject(turnId),
            info: JSON.stringify(infoOf(turnId)),
            data: new Uint8Array(bytes),
          }),
        );
      const MOST = 8 * 1024 * 1024 - JSON.stringify(infoOf('fits')).length;
      const fates = await Promise.all(
        [512, 256, 255, 128, 0].map((room) => publish('fits', MOST - room).catch(errorName)),
      );
      // The store is so small that it keeps none of them.
      expect(fates).toEqual(['stored', 'stored', ...Array<string>(3).fill('MessageTooLargeError')]);
      expect(bus.isUp).toBe(true);
    });

    it('says that the bus is away when there is no server, and when it went', async () => {
      const nowhere = newBus({ url: `nats://127.0.0.1:${await freePort()}` });
      const bus = newBus();
      await follow(bus, 'a');
      await server.kill();
      await Promise.all(
        [nowhere, bus].map((each) => expect(follow(each, 'b')).rejects.toBeInstanceOf(BusUnavailableError)),
      );
      expect(bus.isUp).toBe(false);
      expect(() => bus.core()).toThrow(BusUnavailableError);
    });
  });

  describe('reading', () => {
    it('gives a message back by its subject and by its sequence, and null for what is not there', async () => {
      const bus = newBus();
      await bus.publish(TurnFollowed, ['a'], { info: infoOf('a'), head: {}, arrays: { ids: Int32Array.of(1, 2) } });
      await expect(bus.read(TurnFollowed, 'a')).resolves.toEqual({
        info: infoOf('a'),
        body: { head: {}, arrays: { ids: Int32Array.of(1, 2) } },
      });
      const wire = await bus.readAt('RL_FOLLOWS', 1);
      expect(TurnFollowed.decodeInfo(wire!)).toEqual(infoOf('a'));

      await expect(bus.read(TurnFollowed, 'b')).resolves.toBeNull();
      await expect(bus.readAt('RL_FOLLOWS', 2)).resolves.toBeNull();
      expect(await bus.remove('RL_FOLLOWS', 'rl.turn.followed.v1.a')).toBe(true);
      await expect(bus.read(TurnFollowed, 'a')).resolves.toBeNull();
      await expect(bus.readAt('RL_FOLLOWS', 1)).resolves.toBeNull();
    });
  });

  describe('consuming', () => {
    const consume = (bus: Bus, handle: Subscription['handle'], more: Partial<Subscription> = {}) =>
      bus.consume({ consumer: FOLLOWS, slots: 2, handle, ...more });

    it('hands every message to one of the replicas, and to none again', async () => {
      const seen: string[] = [];
      const buses = [newBus(), newBus()];
      for (const bus of buses) {
        consume(bus, (delivery) => {
          seen.push(turnOf(delivery));
          return Promise.resolve();
        });
      }
      const turns = Array.from({ length: 40 }, (_, i) => `t${i}`);
      await Promise.all(turns.map((turn) => follow(buses[0]!, turn)));
      await until(() => seen.length >= turns.length, { what: 'all messages were handled' });
      expect([...seen].sort()).toEqual([...turns].sort());
    });

    it('brings a message back after a retryable error, and tells of the failure', async () => {
      const failures: unknown[] = [];
      const bus = newBus({ onHandlerError: (_delivery, error) => failures.push(error) });
      const deliveries: number[] = [];
      consume(bus, (delivery) => {
        deliveries.push(delivery.deliveries);
        return delivery.deliveries < 3 ? Promise.reject(new BusyError('busy')) : Promise.resolve();
      });
      await follow(bus, 'a');
      await until(() => deliveries.length === 3, { what: 'the third delivery' });
      expect(deliveries).toEqual([1, 2, 3]);
      expect(failures).toEqual([expect.any(BusyError), expect.any(BusyError)]);
      await expect(bus.readAt('RL_DEAD', 1)).resolves.toBeNull();
    });

    it('brings a message back after an outage as often as it takes', async () => {
      const bus = newBus();
      let deliveries = 0;
      consume(bus, (delivery) => {
        ({ deliveries } = delivery);
        return deliveries <= 12 ? Promise.reject(new OutageError('judge away', 10)) : Promise.resolve();
      });
      await follow(bus, 'a');
      await until(() => deliveries === 13, { what: 'the thirteenth delivery' });
      await expect(bus.readAt('RL_DEAD', 1)).resolves.toBeNull();
    });

    it('brings a message back that came too early, and tells of no failure', async () => {
      const failures: unknown[] = [];
      const bus = newBus({ onHandlerError: (_delivery, error) => failures.push(error) });
      let deliveries = 0;
      consume(bus, (delivery) => {
        ({ deliveries } = delivery);
        return deliveries <= 12 ? Promise.reject(new NotYetError('the answer is on its way', 10)) : Promise.resolve();
      });
      await follow(bus, 'a');
      await until(() => deliveries === 13, { what: 'the thirteenth delivery' });
      expect(failures).toEqual([]);
      await expect(bus.readAt('RL_DEAD', 1)).resolves.toBeNull();
    });

    it('gives a message up at once that no later try can mend: dead letter, settled, done', async () => {
      const bus = newBus({ app: 'prm-judge' });
      const settled: string[] = [];
      let handled = 0;
      consume(
        bus,
        () => {
          handled += 1;
          return Promise.reject(new TypeError('my secret'));
        },
        {
          settleDead: (delivery) => {
            settled.push(turnOf(delivery));
            return Promise.resolve();
          },
        },
      );
      await follow(bus, 'a');
      await until(() => settled.length > 0, { what: 'the turn is settled' });
      const letter = (await bus.readAt('RL_DEAD', 1))!;
      expect(letter.subject).toBe('rl.dead.letter.v1.prm-judge.RL_FOLLOWS-1');
      expect(DeadLetter.decodeInfo(letter)).toMatchObject({
        app: 'prm-judge',
        subject: 'rl.turn.followed.v1.a',
        deliveries: 1,
        error: 'TypeError',
      });
      expect(letter.info).not.toContain('secret');
      await bus.close();
      expect({ handled, settled }).toEqual({ handled: 1, settled: ['a'] });
    });

    it('tries to give it up again while that fails', async () => {
      const bus = newBus();
      let tries = 0;
      consume(bus, () => Promise.reject(new TypeError('x')), {
        settleDead: () => {
          tries += 1;
          return tries < 3 ? Promise.reject(new BusyError('busy')) : Promise.resolve();
        },
      });
      await follow(bus, 'a');
      await until(() => tries === 3, { what: 'the third try' });
    });

    it('buries messages whose subject is of two long ids', async () => {
      const bus = newBus();
      const ids = ['0d9e8f7a-6b5c-4d3e-a2f1-b0c9d8e7f6a5', '6f1c2a0e-3f0b-4a51-9d6c-0a7b1c2d3e4f'] as const;
      bus.consume({ consumer: CONSUMERS.submitter, slots: 1, handle: () => Promise.reject(new TypeError('x')) });
      const info = { turnId: ids[0], feedbackId: ids[1], scope: 's', givenAt: 1, hasText: false };
      await bus.publish(FeedbackGiven, ids, { info, head: {} });
      const letter = await until(() => bus.readAt('RL_DEAD', 1), { what: 'the dead letter' });
      expect(DeadLetter.decodeInfo(letter).subject).toBe(`rl.feedback.given.v1.${ids.join('.')}`);
    });

    it('works for longer than its time to acknowledge without a second delivery', async () => {
      const bus = newBus();
      const deliveries: number[] = [];
      const done: string[] = [];
      const started = performance.now();
      consume(
        bus,
        async (delivery) => {
          deliveries.push(delivery.deliveries);
          await until(() => performance.now() - started > 2500, { what: 'the work is done' });
          done.push(turnOf(delivery));
        },
        { consumer: { ...FOLLOWS, ackWaitSeconds: 1 } },
      );
      await follow(bus, 'a');
      await until(() => done.length > 0, { what: 'the long work has ended' });
      await bus.close();
      expect(deliveries).toEqual([1]);
    });

    it('stops by finishing what it holds, and leaves the rest to another', async () => {
      const [one, two] = [newBus(), newBus()];
      const events: string[] = [];
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const worker = consume(
        one,
        async (delivery) => {
          events.push(`one takes ${turnOf(delivery)}`);
          await held;
          events.push(`one ends ${turnOf(delivery)}`);
        },
        { slots: 1 },
      );
      await follow(one, 'a');
      await until(() => events.length === 1, { what: 'the first message is in hand' });
      const stopped = worker.stop().then(() => events.push('one stopped'));
      await follow(one, 'b');
      consume(two, (delivery) => {
        events.push(`two takes ${turnOf(delivery)}`);
        return Promise.resolve();
      });
      await until(() => events.includes('two takes b'), { what: 'the other takes the rest' });
      expect(events).not.toContain('one stopped');
      release();
      await stopped;
      expect(events).toEqual(['one takes a', 'two takes b', 'one ends a', 'one stopped']);
    });

    it('holds no more at once than it has slots, however many wait', async () => {
      const bus = newBus();
      const seen = new Set<string>();
      const held: (() => void)[] = [];
      let most = 0;
      consume(
        bus,
        async (delivery) => {
          seen.add(turnOf(delivery));
          await new Promise<void>((resolve) => {
            most = Math.max(most, held.push(resolve));
          });
        },
        { slots: 3 },
      );
      const turns = Array.from({ length: 20 }, (_, i) => `t${i}`);
      await Promise.all(turns.map((turn) => follow(bus, turn)));
      while (seen.size < turns.length) {
        await until(() => held.length === 3 || seen.size === turns.length, { what: 'all slots are taken' });
        held.shift()?.();
      }
      for (const release of held) release();
      expect(most).toBe(3);
    });

    it('declares its consumer anew where somebody has removed it', async () => {
      const bus = newBus();
      const seen: string[] = [];
      consume(bus, (delivery) => {
        seen.push(turnOf(delivery));
        return Promise.resolve();
      });
      await follow(bus, 'a');
      await until(() => seen.includes('a'), { what: 'the first message' });
      await bus.connection.current().jsm.consumers.delete(FOLLOWS.stream, FOLLOWS.durable);
      await follow(bus, 'b');
      await until(() => seen.includes('b'), { what: 'the message behind the removal' });
    });

    it('pulls nothing while it is told to pause', async () => {
      const bus = newBus();
      let pause = 50;
      const seen: string[] = [];
      const asked = jest.fn(() => pause);
      consume(
        bus,
        (delivery) => {
          seen.push(turnOf(delivery));
          return Promise.resolve();
        },
        { pauseMs: asked },
      );
      await follow(bus, 'a');
      await until(() => asked.mock.calls.length > 6, { what: 'the worker has asked again and again' });
      expect(seen).toEqual([]);
      pause = 0;
      await until(() => seen.length === 1, { what: 'the message is handled' });
    });
  });

  describe('a server that dies', () => {
    const listen = (bus: Bus): string[] => {
      const seen: string[] = [];
      bus.consume({
        consumer: FOLLOWS,
        slots: 2,
        handle: (delivery) => {
          seen.push(turnOf(delivery));
          return Promise.resolve();
        },
      });
      return seen;
    };

    it('and comes back with its store is found again by readers, writers and workers', async () => {
      const bus = newBus();
      const seen = listen(bus);
      await follow(bus, 'a');
      await until(() => seen.includes('a'), { what: 'work before the crash' });
      await server.kill();
      await until(() => !bus.isUp, { what: 'the loss is noticed' });
      await server.restart();
      await expect(follow(bus, 'b')).resolves.toBe('stored');
      await until(() => seen.includes('b'), { what: 'work after the crash', timeoutMs: 15_000 });
      await expect(follow(bus, 'a')).resolves.toBe('exists');
      expect((await bus.read(TurnFollowed, 'a'))?.info.turnId).toBe('a');
    });

    it('and comes back with an empty store is given its streams, buckets and consumers anew', async () => {
      const bus = newBus();
      const seen = listen(bus);
      await follow(bus, 'a');
      await until(() => seen.includes('a'), { what: 'work before the loss' });
      await server.kill();
      rmSync(server.storeDir, { recursive: true, force: true });
      await server.restart();
      await until(() => bus.isUp, { what: 'the server is found again' });
      await expect(follow(bus, 'b')).resolves.toBe('stored');
      await until(() => seen.includes('b'), { what: 'work after the loss', timeoutMs: 20_000 });
      await expect(bus.read(TurnFollowed, 'a')).resolves.toBeNull();
      const documents = await bus.documents(BUCKETS.sessions, (value) => value);
      await expect(documents.get('k')).resolves.toBeNull();
    });

    it('is waited for by a bus that was started first', async () => {
      const port = await freePort();
      const bus = newBus({ url: `nats://127.0.0.1:${port}` });
      const seen = listen(bus);
      const late = await startNatsServer({ port });
      try {
        await expect(follow(bus, 'a')).resolves.toBe('stored');
        await until(() => seen.includes('a'), { what: 'work on the late server' });
      } finally {
        await bus.close();
        await late.stop();
      }
    });
  });

  describe('streams', () => {
    it('are declared by many at once, and changed in place when their settings change', async () => {
      const many = Array.from({ length: 6 }, () => newBus());
      await Promise.all(many.map((bus) => bus.ready()));
      await follow(many[0]!, 'a');
      const sizeOf = async (bus: Bus): Promise<number> =>
        (await bus.connection.current().jsm.streams.info('RL_FOLLOWS')).config.max_bytes;
      const before = await sizeOf(many[0]!);

      const larger = newBus({ storeGb: 0.1 });
      await larger.ready();
      expect(await sizeOf(larger)).toBe(Math.floor(0.1 * 1024 ** 3 * 0.05));
      expect(await sizeOf(larger)).toBeGreaterThan(before);
      expect((await larger.read(TurnFollowed, 'a'))?.info).toEqual(infoOf('a'));
    });

    it('keep one message a subject, on disk, the oldest going first', async () => {
      const bus = newBus();
      await bus.ready();
      const { config } = await bus.connection.current().jsm.streams.info('RL_SAMPLES');
      expect(config).toMatchObject({
        retention: 'limits',
        storage: 'file',
        discard: 'old',
        max_msgs_per_subject: 1,
        allow_direct: true,
        num_replicas: 1,
      });
    });

    it('have consumers that change with their definition', async () => {
      const bus = newBus();
      await follow(bus, 'a');
      const handle = (): Promise<void> => Promise.resolve();
      const waits = async (): Promise<number | undefined> =>
        (await bus.connection.current().jsm.consumers.info('RL_FOLLOWS', FOLLOWS.durable)).config.ack_wait;
      const first = bus.consume({ consumer: FOLLOWS, slots: 1, handle });
      await until(async () => (await waits()) === 2e9, { what: 'the consumer is there' });
      await first.stop();
      const changed = bus.consume({ consumer: { ...FOLLOWS, ackWaitSeconds: 7 }, slots: 1, handle });
      await until(async () => (await waits()) === 7e9, { what: 'the consumer has changed' });
      await changed.stop();
      const filter = TurnFollowed.filter;
      bus.consume({ consumer: { ...FOLLOWS, filter }, slots: 1, handle });
      await until(
        async () =>
          (await bus.connection.current().jsm.consumers.info('RL_FOLLOWS', FOLLOWS.durable)).config.filter_subject ===
          filter,
        { what: 'the consumer reads something else' },
      );
    });
  });

  describe('scanning', () => {
    const scan = async (bus: Bus, options?: Parameters<Bus['scan']>[1]): Promise<string[]> => {
      const found: string[] = [];
      for await (const { info } of bus.scan('RL_FOLLOWS', options)) {
        found.push((JSON.parse(info) as TurnFollowedInfo).turnId);
      }
      return found;
    };

    it('reads infos in order, over gaps, from any place, and of what its filter takes', async () => {
      const bus = newBus();
      for (const turn of ['a', 'b', 'c', 'd', 'e']) await follow(bus, turn);
      await expect(scan(bus)).resolves.toEqual(['a', 'b', 'c', 'd', 'e']);
      await expect(scan(bus, { startSequence: 3 })).resolves.toEqual(['c', 'd', 'e']);
      await expect(scan(bus, { filter: 'rl.turn.followed.v1.b' })).resolves.toEqual(['b']);
      await expect(scan(bus, { filter: 'rl.turn.followed.v1.x' })).resolves.toEqual([]);

      for (const turn of ['a', 'c', 'e']) await bus.remove('RL_FOLLOWS', `rl.turn.followed.v1.${turn}`);
      expect(await bus.remove('RL_FOLLOWS', 'rl.turn.followed.v1.a')).toBe(false);
      await expect(scan(bus)).resolves.toEqual(['b', 'd']);
      await expect(scan(bus, { startSequence: 5 })).resolves.toEqual([]);
      await expect(scan(bus, { startSequence: 6 })).resolves.toEqual([]);
      await expect(scan(bus, { startSequence: 99 })).resolves.toEqual([]);
    });

    it('finds nothing in an empty stream, also one that was emptied', async () => {
      const bus = newBus();
      await bus.ready();
      await expect(scan(bus)).resolves.toEqual([]);
      await follow(bus, 'a');
      expect(await bus.remove('RL_FOLLOWS', 'rl.turn.followed.v1.a')).toBe(true);
      await expect(scan(bus)).resolves.toEqual([]);
    });

    it('reads many and leaves no consumer behind, also when its reader stops half-way', async () => {
      const bus = newBus();
      const turns = Array.from({ length: 700 }, (_, i) => `t${i}`);
      await Promise.all(turns.map((turn) => follow(bus, turn)));
      expect(await scan(bus)).toHaveLength(700);
      for await (const { sequence } of bus.scan('RL_FOLLOWS')) if (sequence === 3) break;
      await scan(bus, { filter: 'rl.turn.followed.v1.none' });
      const consumers = async (): Promise<number> =>
        (await bus.connection.current().jsm.streams.info('RL_FOLLOWS')).state.consumer_count;
      await until(async () => (await consumers()) === 0, { what: 'no consumer is left' });
    });

    it('gives up on a server that says nothing any more in the middle of it', async () => {
      const bus = newBus();
      const turns = Array.from({ length: 1100 }, (_, i) => `t${i}`);
      await Promise.all(turns.map((turn) => follow(bus, turn)));
      const reader = bus.scan('RL_FOLLOWS')[Symbol.asyncIterator]();
      // The first batch, which has come as a whole.
      for (let i = 0; i < 1000; i += 1) await reader.next();
      process.kill(server.pid!, 'SIGSTOP');
      try {
        await expect(reader.next()).rejects.toBeInstanceOf(BusUnavailableError);
      } finally {
        process.kill(server.pid!, 'SIGCONT');
      }
      await until(async () => (await scan(bus).catch(() => [])).length === 1100, { what: 'the next scan reads all' });
    }, 60_000);
  });

  describe('documents', () => {
    interface Counter {
      readonly count: number;
    }
    const parse = (value: unknown): Counter => {
      if (typeof value === 'object' && value !== null && 'count' in value) return value as Counter;
      throw new TypeError('no counter');
    };
    const count = (current: Counter | null) => {
      const next = { count: (current?.count ?? 0) + 1 };
      return { next, result: next.count };
    };

    it('lose no update, however many write at once', async () => {
      const documents = await Promise.all(
        [newBus(), newBus(), newBus()].map((bus) => bus.documents(BUCKETS.sessions, parse)),
      );
      const results = await Promise.all(
        documents.flatMap((each) => [each.update('k', count), each.update('k', count)]),
      );
      expect(results.sort()).toEqual([1, 2, 3, 4, 5, 6]);
      await expect(documents[0]!.get('k')).resolves.toMatchObject({ value: { count: 6 }, revision: 6 });
    });

    it('are left alone by a change that says so', async () => {
      const documents = await newBus().documents(BUCKETS.sessions, parse);
      await expect(documents.update('k', () => ({ next: null, result: 'nothing' }))).resolves.toBe('nothing');
      await expect(documents.get('k')).resolves.toBeNull();
    });

    it('can be written again where one was deleted', async () => {
      const bus = newBus();
      const documents = await bus.documents(BUCKETS.sessions, parse);
      await documents.update('k', count);
      await (await bus.bucket(BUCKETS.sessions)).delete('k');
      await expect(documents.get('k')).resolves.toBeNull();
      await expect(documents.update('k', count)).resolves.toBe(1);
    });

    it('are written without being read where they are remembered, and never over what another process wrote', async () => {
      const [bus, other] = [newBus(), newBus()];
      const remembering = await bus.documents(BUCKETS.sessions, parse, { remember: 2 });
      const get = jest.spyOn((await bus.bucket(BUCKETS.sessions)).constructor.prototype as KV, 'get');
      try {
        for (let i = 1; i <= 3; i += 1) await expect(remembering.update('k', count)).resolves.toBe(i);
        expect(get).not.toHaveBeenCalled();
        expect(remembering.recall('k')).toEqual({ count: 3 });
        await (await other.documents(BUCKETS.sessions, parse)).update('k', count);
        await expect(remembering.update('k', count)).resolves.toBe(5);
        // That there is nothing to do is only certain of the document as it is now.
        await (await other.documents(BUCKETS.sessions, parse)).update('k', count);
        await expect(remembering.update('k', (value) => ({ next: null, result: value?.count }))).resolves.toBe(6);
      } finally {
        get.mockRestore();
      }
    });

    it('forget the oldest of what they remember', async () => {
      const remembering = await newBus().documents(BUCKETS.sessions, parse, { remember: 2 });
      for (const key of ['a', 'b', 'c']) await remembering.update(key, count);
      expect(['a', 'b', 'c'].map((key) => remembering.recall(key))).toEqual([null, { count: 1 }, { count: 1 }]);
      await expect(remembering.update('a', count)).resolves.toBe(2);
    });

    it('say when they were written, by the clock of the server', async () => {
      const documents = await newBus().documents(BUCKETS.sessions, parse);
      const before = Date.now();
      await documents.update('k', count);
      const stored = await documents.get('k');
      expect(stored!.writtenAt).toBeGreaterThanOrEqual(before - 1000);
      expect(stored!.writtenAt).toBeLessThanOrEqual(Date.now() + 1000);
    });

    it('are listed without waiting, also while others are written, but not once they are deleted', async () => {
      const bus = newBus();
      const documents = await bus.documents(BUCKETS.sessions, parse);
      expect(await documents.list('s.*')).toEqual([]);
      for (const key of ['s.a', 's.b', 's.gone', 'other.x', 's.hot']) await documents.update(key, count);
      await (await bus.bucket(BUCKETS.sessions)).delete('s.gone');
      let isOver = false;
      const writing = (async () => {
        while (!isOver) await documents.update('s.hot', count);
      })();
      const lists: string[][] = [];
      const startedAt = performance.now();
      while (lists.length < 10) lists.push((await documents.list('s.*')).map(({ key }) => key));
      const tookMs = performance.now() - startedAt;
      isOver = true;
      await writing;
      for (const keys of lists) expect(keys.filter((key) => key !== 's.hot')).toEqual(['s.a', 's.b']);
      // A heartbeat, which ends the client's own listing, comes after 5 s, or 30 s.
      expect(tookMs).toBeLessThan(5000);
      const { revision, writtenAt } = (await documents.get('s.hot'))!;
      expect(await documents.list('*.hot')).toEqual([{ key: 's.hot', revision, writtenAt }]);
    });

    it('are listed on from a revision, and whole where the bucket has never reached it', async () => {
      const documents = await newBus().documents(BUCKETS.sessions, parse);
      for (const key of ['s.a', 's.b', 's.c', 's.a']) await documents.update(key, count);
      const listed = async (after: number): Promise<string[]> =>
        (await documents.list('s.*', after)).map(({ key, revision }) => `${key} ${revision}`);
      await expect(listed(0)).resolves.toEqual(['s.b 2', 's.c 3', 's.a 4']);
      await expect(listed(2)).resolves.toEqual(['s.c 3', 's.a 4']);
      await expect(listed(4)).resolves.toEqual([]);
      await expect(listed(99)).resolves.toEqual(['s.b 2', 's.c 3', 's.a 4']);
    });

    it('give up on a document that changes under every try', async () => {
      const bus = newBus();
      const documents = await bus.documents(BUCKETS.sessions, parse);
      const bucket = await bus.bucket(BUCKETS.sessions);
      const conflict = await documents
        .update('k', count)
        .then(() => bucket.create('k', '{}'))
        .catch((error: unknown) => error);
      const write = jest.spyOn(bus.connection.current().publisher, 'publish').mockRejectedValue(conflict);
      await expect(documents.update('k', count)).rejects.toBeInstanceOf(ContentionError);
      expect(write.mock.calls.length).toBeGreaterThan(5);
    });

    it('do not hide a document that has another shape', async () => {
      const bus = newBus();
      const documents = await bus.documents(BUCKETS.sessions, parse);
      await (await bus.bucket(BUCKETS.sessions)).put('k', '[]');
      await expect(documents.get('k')).rejects.toBeInstanceOf(TypeError);
      await expect(documents.update('k', count)).rejects.toBeInstanceOf(TypeError);
    });
  });

  describe('closing', () => {
    it('may come before the server was ever reached', async () => {
      const bus = newBus({ url: `nats://127.0.0.1:${await freePort()}` });
      bus.consume({ consumer: FOLLOWS, slots: 1, handle: () => Promise.resolve() });
      await bus.close();
      await expect(follow(bus, 'a')).rejects.toBeInstanceOf(BusUnavailableError);
    });

    it('tells at once who waits for a server that is away', async () => {
      const bus = newBus({ url: `nats://127.0.0.1:${await freePort()}` });
      const told = expect(bus.connection.whenUp(60_000)).rejects.toThrow(/has been closed/);
      await bus.close();
      await told;
    });

    it('may come twice, and while the server is away', async () => {
      const bus = newBus();
      await bus.ready();
      await server.kill();
      await until(() => !bus.isUp, { what: 'the loss is noticed' });
      await bus.close();
      await bus.close();
    });
  });
});
