import { randomUUID } from 'node:crypto';
import type { Bus } from '@app/bus';
import {
  BUCKETS,
  EraseSession,
  FeedbackGiven,
  outcomeDocumentKey,
  parseOutcomeDocument,
  SessionEnded,
  TurnSettled,
} from '@app/contracts';
import { until, type NatsServer } from '@app/testing';
import {
  post,
  publishCompleted,
  publishFollowed,
  publishHinted,
  publishJudged,
  publishTurn,
  settledOf,
  type Submitter,
} from './submitter-harness';
import { SubmitterWorld } from './submitter-world';

/** A leased sample, of any shape: what is read of it is compared, not trusted. */
type SampleBody = Record<string, any>;

/** Session of everything that the harness judges. */
const SESSION = 'session';
const KEY = outcomeDocumentKey(SESSION);
const INTEGRATED = { OPENCLAW_RL_REWARD_INTEGRATED: 'true' };

describe('integrated rewards', () => {
  let world: SubmitterWorld;
  let nats: NatsServer;
  let bus: Bus;

  const start = (env: Readonly<Record<string, string>> = {}): Promise<Submitter> =>
    world.start({ ...INTEGRATED, ...env });
  const outcome = (turnId: string) => world.settled(turnId);
  const document = async () => (await (await bus.documents(BUCKETS.sessions, parseOutcomeDocument)).get(KEY))?.value;
  const waiting = (...turnIds: string[]) =>
    until(
      async () => {
        const turns = Object.keys((await document())?.turns ?? {}).sort();
        return JSON.stringify(turns) === JSON.stringify(turnIds.toSorted());
      },
      { what: `${turnIds.join(', ') || 'nobody'} waits`, timeoutMs: 15_000 },
    );

  /** What the tracker publishes at the end of a session. */
  const end = (said?: number, { incarnation = 1, since = 0, through = Date.now() } = {}) =>
    bus.publish(SessionEnded, [SESSION, String(incarnation)], {
      info: {
        session: SESSION,
        incarnation,
        cause: 'closed',
        since,
        through,
        endedAt: Date.now(),
        ...(said === undefined ? {} : { outcome: said }),
      },
      head: { withoutNextState: [], lost: [] },
    });
  /** Where the tracker puts a turn. */
  const place = async (turnId: string) => {
    await (await bus.bucket(BUCKETS.sessions)).put(`turn.${turnId}`, JSON.stringify({ session: SESSION, main: true }));
  };
  const rate = (turnId: string, word: { score?: 1 | -1 | 0; outcome?: number }) => {
    const feedbackId = randomUUID();
    return bus.publish(FeedbackGiven, [turnId, feedbackId], {
      info: { turnId, feedbackId, scope: 'scope', givenAt: Date.now(), hasText: false, ...word },
      head: {},
    });
  };
  const lease = async ({ url }: Submitter, requestId: string): Promise<SampleBody[]> => {
    const { body } = await post(url, '/v1/samples/lease', { request_id: requestId, max: 64 });
    return (body.samples as SampleBody[]).toSorted((a, b) => (a.metadata.turn_id < b.metadata.turn_id ? -1 : 1));
  };

  beforeEach(async () => {
    world = await SubmitterWorld.open();
    ({ nats, bus } = world);
  });
  afterEach(() => world.close());

  it("wait for the session's end, and are normalised over the batch's samples of the same step", async () => {
    const submitter = await start({
      OPENCLAW_RL_REWARD_OUTCOME_WEIGHT: '2',
      OPENCLAW_RL_REWARD_PROCESS_WEIGHT: '0.5',
    });
    const answered = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'and then?' },
    ];
    await publishTurn(bus, 'first', 1);
    await publishTurn(bus, 'neutral', 0);
    await publishTurn(bus, 'second', -1, { messages: answered });
    await publishTurn(bus, 'excluded', 1, { exclusion: 'undelivered' });
    await publishTurn(bus, 'unjudged', null);
    expect(await outcome('excluded')).toMatchObject({ reason: 'undelivered' });
    expect(await outcome('unjudged')).toMatchObject({ reason: 'not_judged' });
    await waiting('first', 'neutral', 'second');
    expect(await settledOf(bus, 'first')).toBeNull();
    await end(0.75);
    expect(await outcome('first')).toMatchObject({ kind: 'sample', score: 1, source: 'votes', outcome: 0.75 });
    for (const turnId of ['neutral', 'second']) expect(await outcome(turnId)).toMatchObject({ kind: 'sample' });
    await waiting();

    const batch = await lease(submitter, 'batch');
    expect(batch.map(({ metadata, reward }) => [metadata.turn_id, metadata.step_index, reward.score])).toEqual([
      ['first', 0, 2],
      ['neutral', 0, 1.5],
      ['second', 1, 1],
    ]);
    // Two rewards of one step lie half their distance from the mean, and their deviation is that times the root of 2.
    const normalized = 0.25 / (0.25 * Math.SQRT2 + 1e-6);
    expect(batch.map((sample) => sample.normalized_reward)).toEqual([
      expect.closeTo(normalized, 12),
      expect.closeTo(-normalized, 12),
      1,
    ]);
    for (const sample of batch) expect(sample.advantages).toEqual([sample.normalized_reward, sample.normalized_reward]);
    expect(await lease(submitter, 'batch')).toEqual(batch);
  });

  it('are compared as the settings say', async () => {
    const submitter = await start({
      OPENCLAW_RL_REWARD_STEP_SCALE: 'none',
      OPENCLAW_RL_REWARD_STEP_SINGLETON: 'zero',
    });
    await publishTurn(bus, 'first', 1);
    await publishTurn(bus, 'neutral', 0);
    await publishTurn(bus, 'alone', 1, {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'and then?' },
      ],
    });
    await waiting('first', 'neutral', 'alone');
    await end(1);
    for (const turnId of ['first', 'neutral', 'alone']) expect(await outcome(turnId)).toMatchObject({ kind: 'sample' });
    const batch = await lease(submitter, 'batch');
    const rewards = batch.map(({ metadata, normalized_reward: reward }) => [metadata.turn_id, reward]);
    expect(Object.fromEntries(rewards)).toEqual({ first: 0.5, neutral: -0.5, alone: 0 });
  });

  it('take an outcome that comes as feedback, before the end or a while after it, and count turns that come late', async () => {
    await start({ OPENCLAW_RL_REWARD_OUTCOME_WAIT_S: '600' });
    await place('rated');
    await publishTurn(bus, 'rated', 1);
    await waiting('rated');
    await rate('rated', { outcome: -1 });
    expect(await outcome('rated')).toMatchObject({ kind: 'sample', outcome: -1 });

    await publishTurn(bus, 'after', 1);
    await waiting('after');
    await rate('rated', { outcome: 0.5 });
    expect(await outcome('after')).toMatchObject({ kind: 'sample', outcome: 0.5 });
    await publishCompleted(bus, 'late');
    await end();
    await world.workedOff();
    // Nobody has said another: what was said before counts for the last turns too.
    await publishJudged(bus, 'late', -1);
    expect(await outcome('late')).toMatchObject({ kind: 'sample', score: -1, outcome: 0.5 });
  });

  it("count a person's score as the votes", async () => {
    const submitter = await start();
    await place('scored');
    await publishCompleted(bus, 'scored');
    await rate('scored', { score: -1 });
    await waiting('scored');
    await publishJudged(bus, 'scored', 1);
    await world.workedOff();
    await end(1);
    expect(await outcome('scored')).toMatchObject({ kind: 'sample', score: -1, source: 'feedback' });
    expect((await lease(submitter, 'batch'))[0]).toMatchObject({
      reward: { score: 0 },
      metadata: { reward_source: 'feedback', session_outcome: 1 },
    });
  });

  it('are given up a while after the end: no outcome, or the teacher alone', async () => {
    await start({ OPENCLAW_RL_RL_ALGORITHM: 'hybrid', OPENCLAW_RL_REWARD_OUTCOME_WAIT_S: '0.3' });
    for (const turnId of ['hinted', 'plain']) {
      await publishCompleted(bus, turnId);
      await publishFollowed(bus, turnId);
      await publishJudged(bus, turnId, 1);
    }
    await publishHinted(bus, 'hinted', [-1, -1]);
    await publishHinted(bus, 'plain', 'no_hint');
    await waiting('hinted', 'plain');
    await end();
    expect(await outcome('plain')).toMatchObject({ kind: 'reason', reason: 'no_outcome', detail: 'no_hint' });
    expect(await outcome('hinted')).toMatchObject({ kind: 'sample', signal: 'teacher' });
    await waiting();
  });

  it('lose nothing and make nothing twice with two replicas, over crashes of the bus, in any order', async () => {
    // What a crash took the ack of comes again after the consumer's half a minute, once for each crash.
    await Promise.all([start(), start()]);
    const turnIds = Array.from({ length: 40 }, (_, i) => `turn-${i}`);
    const since = Date.now();
    for (const [i, turnId] of turnIds.entries()) {
      await publishTurn(bus, turnId, ([1, -1, 0] as const)[i % 3], { arrivedAt: since + i });
      if (i === 25) await end(1, { through: since + i });
      if (i !== 10 && i !== 30) continue;
      await nats.kill();
      await nats.restart();
      await bus.connection.whenUp(10_000);
    }
    await end(-1, { incarnation: 2, since: since + 25, through: since + 39 });
    for (const turnId of turnIds) {
      const settled = await until(() => settledOf(bus, turnId), { what: `${turnId} is settled`, timeoutMs: 90_000 });
      expect(settled).toMatchObject({ kind: 'sample', outcome: Number(turnId.slice(5)) <= 25 ? 1 : -1 });
    }
    const { state } = await bus.connection.current().jsm.streams.info(TurnSettled.stream);
    expect([state.messages, state.last_seq]).toEqual([40, 40]);
    await waiting();
  }, 180_000);

  it('are finished by a sweep where whoever knew the outcome died, and without one once they are switched off', async () => {
    const QUICK = { OPENCLAW_RL_REWARD_OUTCOME_WAIT_S: '0.3' };
    const restart = async (env: Record<string, string>): Promise<void> => {
      await world.stop();
      await start({ ...QUICK, ...env });
    };
    await restart({});
    await publishTurn(bus, 'left', 1);
    await waiting('left');
    await world.workedOff();
    await world.stop();
    // As a replica leaves it that dies between writing the document and settling its turns.
    const documents = await bus.documents(BUCKETS.sessions, parseOutcomeDocument);
    await documents.update(KEY, (current) => ({
      next: { ...current!, said: [{ by: 'f', at: Date.now(), outcome: -0.5 }] },
      result: undefined,
    }));
    await restart({});
    expect(await outcome('left')).toMatchObject({ kind: 'sample', outcome: -0.5 });
    await publishTurn(bus, 'unknown', 1);
    await waiting('unknown');
    await restart({ OPENCLAW_RL_REWARD_INTEGRATED: 'false' });
    expect(await outcome('unknown')).toMatchObject({ kind: 'sample', score: 1 });
    expect(await outcome('unknown')).not.toHaveProperty('outcome');
  });

  it('are forgotten with their session', async () => {
    await start();
    await place('told');
    await publishTurn(bus, 'told', 1);
    await waiting('told');
    await rate('told', { outcome: 1 });
    await outcome('told');
    await world.workedOff();
    expect(await document()).toMatchObject({ said: [{ outcome: 1 }] });
    await publishTurn(bus, 'held', 1);
    await world.workedOff();
    const request = EraseSession.encodeRequest({ session: SESSION });
    await bus.core().request(EraseSession.subject, request, { timeout: 20_000 });
    expect(await document()).toBeUndefined();
    expect(await settledOf(bus, 'told')).toBeNull();
  });
});
