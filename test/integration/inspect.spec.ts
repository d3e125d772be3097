import { AckPolicy } from '@nats-io/jetstream';
import { Bus } from '@app/bus';
import { BUCKETS, CONSUMERS, STREAMS, TurnArrived, TurnJudged } from '@app/contracts';
import { startNatsServer } from '@app/testing';
import { countKinds } from '../../apps/bus-admin/src/inspect/count-kinds';
import type { InspectedStream } from '../../apps/bus-admin/src/inspect/inspect';
import { readCommand } from '../../apps/bus-admin/src/options';
import { run } from '../../apps/bus-admin/src/run';
import { mainTurn } from '../support/main-turn';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';

const SECRET = 'parsley';

describe('npm run bus -- inspect', () => {
  let opened: Opened;
  let url: string;
  let bus: Bus;

  beforeEach(async () => {
    opened = new Opened();
    url = opened.add(await startNatsServer()).url;
    bus = opened.add(new Bus({ app: 'test', url, storeGb: 1, replicas: 1 }));
  });
  afterEach(async () => {
    await opened.close();
  });

  const inspect = (...more: string[]) =>
    run(readCommand(['inspect', ...more], {})!, settingsFrom({ OPENCLAW_RL_NATS_URL: url }));
  const streamsOf = async (): Promise<Record<string, InspectedStream>> => {
    const streams = JSON.parse((await inspect('--json')).text) as InspectedStream[];
    return Object.fromEntries(streams.map((stream) => [stream.name, stream]));
  };
  const arrive = (...ids: readonly string[]) =>
    Promise.all(
      ids.map((id) => {
        const nextState = [{ role: 'user', content: SECRET }];
        return bus.publish(TurnArrived, [id], { info: mainTurn(id), head: { nextState } });
      }),
    );
  /** A message as another version of ours may have stored it. */
  const storeOther = async (stream: 'RL_TURNS', name: string): Promise<void> => {
    const { jsm, js } = bus.connection.current();
    const { config } = await jsm.streams.info(stream);
    await jsm.streams.update(stream, { ...config, subjects: [...config.subjects, `${name}.*`] });
    await js.publish(`${name}.turn-9`, SECRET);
  };

  it('counts what every stream and bucket holds, by kind and version, and how far each service is', async () => {
    await bus.ready();
    const startedAt = Date.now();
    await arrive('a', 'b', 'c');
    const verdict = { turnId: 'a', session: 's', score: 1 as const, judgedAt: 1 };
    await bus.publish(TurnJudged, ['a'], {
      info: verdict,
      head: { judgeModel: 'j', votes: [{ score: 1, text: SECRET, millis: 1 }] },
    });
    const { jsm, js } = bus.connection.current();
    for (const { stream, durable } of [CONSUMERS.trackerTurns, CONSUMERS.submitter]) {
      await jsm.consumers.add(stream, { durable_name: durable, ack_policy: AckPolicy.Explicit });
    }
    // Somebody has it, and has not said what became of it.
    const { stream, durable } = CONSUMERS.submitter;
    await (await js.consumers.get(stream, durable)).next();

    const streams = await streamsOf();
    expect(Object.keys(streams)).toEqual(expect.arrayContaining([...Object.keys(STREAMS), 'KV_rl-sessions']));
    const { RL_TURNS: turns, RL_VERDICTS: verdicts, RL_DEAD: dead } = streams;
    expect(turns).toMatchObject({ messages: 3, copies: 1 });
    expect(turns?.bytes).toBeGreaterThan(100);
    expect(turns?.oldestAt).toBeGreaterThan(startedAt - 60_000);
    expect(turns?.kinds).toEqual([
      { name: 'rl.turn.arrived.v1', messages: 3, isKnown: true },
      { name: 'rl.turn.completed.v1', messages: 0, isKnown: true },
      { name: 'rl.session.closed.v1', messages: 0, isKnown: true },
    ]);
    expect(turns?.queues).toEqual([{ consumer: 'session-tracker', waiting: 3, inHand: 0, again: 0 }]);
    expect(verdicts?.kinds).toContainEqual({ name: 'rl.turn.judged.v1', messages: 1, isKnown: true });
    expect(verdicts?.queues).toEqual([{ consumer: 'sample-submitter', waiting: 0, inHand: 1, again: 0 }]);
    expect(dead).toMatchObject({ messages: 0, oldestAt: null });
  });

  it('says so in words, and nothing of what the messages say', async () => {
    await bus.ready();
    await arrive('a');
    const { text, problem } = await inspect();
    expect(text).toMatch(/^RL_TURNS +1 messages, 0\.0 MiB, 1 copy, the oldest 0\.0 h old$/m);
    expect(text).toMatch(/^ {2}1 of rl\.turn\.arrived\.v1$/m);
    expect(text).toMatch(/^KV_rl-sessions +0 messages/m);
    expect(text).not.toContain(SECRET);
    expect(problem).toBeNull();
  });

  it('names what a deletion leaves in a bucket as what it is', async () => {
    await bus.ready();
    const documents = await bus.bucket(BUCKETS.chains);
    for (const key of ['a', 'b', 'c']) await documents.put(key, SECRET);
    const { text: before } = await inspect();
    expect(before).not.toContain('was deleted');
    await documents.purge('a');
    await documents.delete('b');
    const { 'KV_rl-chains': chains, RL_TURNS: turns } = await streamsOf();
    expect([chains?.messages, chains?.markers, turns?.markers]).toEqual([3, 2, 0]);
    const { text } = await inspect();
    expect(text).toMatch(/^KV_rl-chains +3 messages, .*\n {2}2 of them only mark that a document was deleted$/m);
  });

  it('names versions that this build does not read, and is no success then', async () => {
    await bus.ready();
    await arrive('a', 'b');
    await storeOther('RL_TURNS', 'rl.turn.completed.v2');
    const { text, problem } = await inspect();
    expect(text).toContain('1 of rl.turn.completed.v2, which this version does not read');
    expect(text).toContain('2 of rl.turn.arrived.v1');
    expect(problem).toContain('1 of rl.turn.completed.v2');
    expect(text + String(problem)).not.toContain(SECRET);
  });

  it('lets what comes meanwhile hide nothing', async () => {
    await bus.ready();
    await arrive('a');
    await storeOther('RL_TURNS', 'rl.turn.completed.v2');
    const session = bus.connection.current();
    const seen = await session.jsm.streams.info('RL_TURNS');
    await arrive('b', 'c');
    expect(await countKinds(session, seen)).toEqual([
      { name: 'rl.turn.arrived.v1', messages: 1, isKnown: true },
      { name: 'rl.turn.completed.v1', messages: 0, isKnown: true },
      { name: 'rl.session.closed.v1', messages: 0, isKnown: true },
      { name: 'rl.turn.completed.v2', messages: 1, isKnown: false },
    ]);
  });

  it('leaves everything as it was', async () => {
    await bus.ready();
    await arrive('a');
    await storeOther('RL_TURNS', 'rl.turn.completed.v2');
    const { jsm } = bus.connection.current();
    const before = (await jsm.streams.info('RL_TURNS')).state;
    await inspect();
    const { state } = await jsm.streams.info('RL_TURNS');
    expect({ ...state, consumer_count: 0 }).toEqual({ ...before, consumer_count: 0 });
    expect(state.consumer_count).toBe(0);
  });

  it('says where there is nothing of ours', async () => {
    await expect(inspect()).rejects.toThrow('this server has no stream of ours');
  });
});
