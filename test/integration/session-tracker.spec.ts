import type { INestApplication } from '@nestjs/common';
import { Bus } from '@app/bus';
import { NatsSettings, SessionSettings, Settings } from '@app/config';
import {
  BUCKETS,
  parseSessionDocument,
  SessionEnded,
  sessionDocumentKey,
  TurnFollowed,
  TurnSettled,
  type MessageDefinition,
} from '@app/contracts';
import { runApp } from '@app/telemetry';
import { startNatsServer, until, type NatsServer } from '@app/testing';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { Script, type Event } from '../../apps/session-tracker/test/script';

const STORE_GB = 0.5;

const settingsFor = (url: string, idleMinutes: number): Settings =>
  Object.assign(new Settings(), {
    nats: Object.assign(new NatsSettings(), { url, storeGb: STORE_GB }),
    session: Object.assign(new SessionSettings(), { idleMinutes, answerMinutes: idleMinutes }),
  });

describe('two session-trackers on a real nats-server', () => {
  let server: NatsServer;
  let producer: Bus;
  const replicas: INestApplication[] = [];

  const startReplica = async (idleMinutes = 30): Promise<INestApplication> => {
    const replica = await runApp({
      module: SessionTrackerModule.forSettings(settingsFor(server.url, idleMinutes)),
      host: '127.0.0.1',
      port: 0,
      logLevel: 'error',
      logFormat: 'text',
    });
    replicas.push(replica);
    return replica;
  };

  beforeEach(async () => {
    server = await startNatsServer();
    producer = new Bus({ app: 'producer', url: server.url, storeGb: STORE_GB, replicas: 1 });
    await producer.ready();
  });

  afterEach(async () => {
    try {
      await Promise.all(replicas.splice(0).map((replica) => replica.close()));
      await producer.close();
    } finally {
      await server.stop();
    }
  });

  const publish = async (...events: readonly Event[]): Promise<void> => {
    for (const event of events) await producer.publishEncoded(event);
  };

  const infosOf = async <Definition extends MessageDefinition<any, any>>(definition: Definition) => {
    const infos: ReturnType<Definition['decodeInfo']>[] = [];
    for await (const { subject, info } of producer.scan(definition.stream, { filter: definition.filter })) {
      infos.push(definition.decodeInfo({ subject, info, data: new Uint8Array() }) as never);
    }
    return infos;
  };

  const followed = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await infosOf(TurnFollowed)).map(({ turnId, nextTurnId, feedbackId }) => [
        turnId,
        nextTurnId ?? feedbackId ?? '',
      ]),
    );

  const settled = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await infosOf(TurnSettled)).map(({ turnId, reason }) => [turnId, reason ?? '']));

  const session = async (id: string) =>
    (await (await producer.documents(BUCKETS.sessions, parseSessionDocument)).get(sessionDocumentKey(id)))?.value;

  /** Events of `count` conversations of three turns, in the order in which a gateway would publish them all at once. */
  const conversations = (
    count: number,
  ): { events: Event[]; follows: Record<string, string>; ends: Record<string, string> } => {
    const script = new Script();
    const events: Event[] = [];
    const follows: Record<string, string> = {};
    const ends: Record<string, string> = {};
    for (const turn of [1, 2, 3]) {
      for (let i = 0; i < count; i += 1) {
        const id = `c${i}-t${turn}`;
        const parent = turn === 1 ? undefined : `c${i}-t${turn - 1}`;
        events.push(
          ...script.turn(id, { session: `s${i}`, chain: `same-${turn}`, after: parent, done: turn === 3 }).both,
        );
        if (parent !== undefined) follows[parent] = id;
        if (turn === 3) ends[id] = 'no_next_state';
      }
    }
    return { events, follows, ends };
  };

  it('finds every next state and every end, once, with the same words in every session', async () => {
    await Promise.all([startReplica(), startReplica()]);
    const { events, follows, ends } = conversations(40);
    await publish(...events);
    await until(async () => (await infosOf(SessionEnded)).length === 40, {
      what: '40 ended sessions',
      timeoutMs: 20_000,
    });
    await until(async () => Object.keys(await settled()).length === 40, { what: '40 settled turns' });
    expect(await followed()).toEqual(follows);
    expect(await settled()).toEqual(ends);
    expect((await infosOf(SessionEnded)).every(({ cause, incarnation }) => cause === 'done' && incarnation === 1)).toBe(
      true,
    );
  });

  it('gives the same result from a backlog, in which events overtake one another', async () => {
    const { events, follows, ends } = conversations(40);
    await publish(...events);
    await Promise.all([startReplica(), startReplica()]);
    await until(async () => Object.keys(await settled()).length === 40, {
      what: '40 settled turns',
      timeoutMs: 20_000,
    });
    expect(await followed()).toEqual(follows);
    expect(await settled()).toEqual(ends);
  });

  it('loses nothing with a replica that is cut off in the middle of its work', async () => {
    const { events, follows, ends } = conversations(80);
    await publish(...events);
    const [doomed] = await Promise.all([startReplica(), startReplica()]);
    await until(async () => Object.keys(await followed()).length > 0, { what: 'work has begun', everyMs: 1 });
    await doomed.get(Bus).core().close();
    const { jsm } = producer.connection.current();
    const { num_pending: waiting } = await jsm.consumers.info('RL_TURNS', 'session-tracker');
    expect(waiting).toBeGreaterThan(0);
    await until(async () => Object.keys(await settled()).length === 80, {
      what: '80 settled turns',
      timeoutMs: 40_000,
    });
    expect(await followed()).toEqual(follows);
    expect(await settled()).toEqual(ends);
  }, 60_000);

  it('goes on after a crash of the server', async () => {
    await Promise.all([startReplica(), startReplica()]);
    const { events, follows, ends } = conversations(20);
    const half = events.length / 2;
    await publish(...events.slice(0, half));
    await server.kill();
    await server.restart();
    await publish(...events.slice(half));
    await until(async () => Object.keys(await settled()).length === 20, {
      what: '20 settled turns',
      timeoutMs: 40_000,
    });
    expect(await followed()).toEqual(follows);
    expect(await settled()).toEqual(ends);
  }, 60_000);

  it('ends quiet sessions of a stock client, and names what was lost, but no session early', async () => {
    await Promise.all([startReplica(0.03), startReplica(0.03)]);
    const script = new Script();
    await publish(...script.turn('t1').both, ...script.turn('t2', { after: 't1' }).both);
    await publish(script.turn('lost', { session: 'S' }).arrived);
    await until(async () => Object.keys(await settled()).length === 2, {
      what: 'both sessions are over',
      timeoutMs: 15_000,
    });
    expect(await followed()).toEqual({ t1: 't2' });
    expect(await settled()).toEqual({ t2: 'no_next_state', lost: 'gateway_lost' });
    const ends = await infosOf(SessionEnded);
    expect(ends).toHaveLength(2);
    expect(ends.every(({ cause }) => cause === 'idle')).toBe(true);
    await until(async () => (await session('S'))?.state === 'announced', { what: 'a tombstone' });

    await publish(...script.turn('t3', { session: 'S' }).both);
    await until(async () => (await session('S'))?.incarnation === 2, { what: 'the next incarnation' });
  });

  it('does not take a backlog for quiet', async () => {
    const first = await startReplica(0.05);
    const script = new Script();
    const [before, after] = [script.turn('t1', { session: 'S' }), script.turn('t2', { session: 'S', after: 't1' })];
    await publish(...before.both);
    await until(async () => (await session('S'))?.turns['t1']?.completed, { what: 't1 is known' });
    await first.close();
    replicas.splice(0);
    await publish(...after.both);
    const stored = await (await producer.bucket(BUCKETS.sessions)).get(sessionDocumentKey('S'));
    await until(() => Date.now() - stored!.created.getTime() > 0.05 * 60_000, { what: 'the idle time is over' });
    await Promise.all([startReplica(0.05), startReplica(0.05)]);
    await until(async () => (await followed()).t1, { what: 't1 is followed' });
    await until(async () => (await settled()).t2, { what: 't2 is settled', timeoutMs: 15_000 });
    expect(await settled()).toEqual({ t2: 'no_next_state' });
  });

  it('takes a text for the next state, and a score for a reason not to wait', async () => {
    await startReplica(0.03);
    const script = new Script();
    await publish(...script.turn('t1', { session: 'S' }).both, ...script.turn('t2', { session: 'S' }).both);
    await publish(script.feedback('f1', 't1', { hasText: true }), script.feedback('f2', 't2', { score: -1 }));
    await until(async () => (await infosOf(SessionEnded)).length === 1, {
      what: 'the session is over',
      timeoutMs: 15_000,
    });
    expect(await followed()).toEqual({ t1: 'f1' });
    expect(await settled()).toEqual({});
  });

  it('says whether it can work, and what it counted', async () => {
    const replica = await startReplica();
    const url = await replica.getUrl();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, { what: 'ready' });
    const script = new Script();
    await publish(...script.turn('t1').both, ...script.turn('t2', { after: 't1' }).both);
    await until(
      async () =>
        (await (await fetch(`${url}/metrics`)).text()).includes('openclaw_rl_turns_followed_total{role="user"} 1'),
      { what: 'a followed turn is counted' },
    );
    await server.kill();
    await until(async () => (await fetch(`${url}/readyz`)).status === 503, { what: 'not ready without NATS' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await server.restart();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, { what: 'ready again' });
  });
});
