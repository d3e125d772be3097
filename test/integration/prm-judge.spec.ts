import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus } from '@app/bus';
import {
  BUCKETS,
  CONSUMERS,
  FeedbackGiven,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnJudged,
  TurnSettled,
} from '@app/contracts';
import { INITIAL_POLICY_STATE, isDrained, POLICY_KEY, type PolicyState } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import {
  startEngineDouble,
  startNatsServer,
  until,
  type EngineDouble,
  type NatsServer,
  type ScriptedAnswer,
} from '@app/testing';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { mainTurn } from '../support/main-turn';
import { settingsFrom } from '../support/settings-from';
import { metricOf, startWorker } from '../support/worker';

interface Replica {
  readonly app: NestFastifyApplication;
  ready(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Value of a metric by its only label, or its only value. */
  metric(name: string): Promise<Record<string, number>>;
}

type Message = { role: string; [key: string]: unknown };

describe('prm-judge', () => {
  let nats: NatsServer;
  let judge: EngineDouble;
  let bus: Bus;
  const replicas: Replica[] = [];
  const logged: string[] = [];

  const start = async (env: Record<string, string> = {}): Promise<Replica> => {
    const settings = settingsFrom({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: judge.url,
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
      OPENCLAW_RL_JUDGE_BREAKER_OPEN_S: '0.4',
      OPENCLAW_RL_JUDGE_TIMEOUT_S: '5',
      ...env,
    });
    const app = await startWorker(PrmJudgeModule.forSettings(settings), logged);
    const url = await app.getUrl();
    const replica: Replica = {
      app,
      ready: async () => {
        const response = await fetch(`${url}/readyz`);
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      },
      metric: (name) => metricOf(app, name),
    };
    replicas.push(replica);
    return replica;
  };

  const complete = (turnId: string, response: Message | null, exclusion?: 'undelivered' | 'no_token_ids') =>
    bus.publish(TurnCompleted, [turnId], {
      info: { ...mainTurn(turnId), completedAt: Date.now(), ...(exclusion === undefined ? {} : { exclusion }) },
      head: {
        sessionId: null,
        model: 'm',
        messages: [{ role: 'user', content: `do ${turnId}` }],
        response,
        finishReason: 'stop',
        sampling: { temperature: 1, topP: 1, topK: -1 },
        logProbsTempered: null,
        route: 'text',
        weightVersions: [],
        policyVersion: { start: 0, end: 0 },
      },
    });

  const arrive = (turnId: string, nextState: Message[]) =>
    bus.publish(TurnArrived, [turnId], { info: { ...mainTurn(turnId), nextStateRole: 'user' }, head: { nextState } });

  const follow = (turnId: string, reference: { nextTurnId: string } | { feedbackId: string }) =>
    bus.publish(TurnFollowed, [turnId], { info: { turnId, session: 'session', role: 'user', ...reference }, head: {} });

  /** Stores a turn and what followed it; returns its id. */
  const turn = async (said = 'thanks, that is great'): Promise<string> => {
    const turnId = randomUUID();
    const nextTurnId = randomUUID();
    await complete(turnId, { role: 'assistant', content: 'I did it.' });
    await arrive(nextTurnId, [{ role: 'user', content: said }]);
    await follow(turnId, { nextTurnId });
    return turnId;
  };

  const judged = (turnId: string, timeoutMs = 10_000) =>
    until(() => bus.read(TurnJudged, turnId), { what: `turn.judged of ${turnId}`, timeoutMs });

  const settled = (turnId: string) =>
    until(() => bus.read(TurnSettled, turnId), { what: `turn.settled of ${turnId}`, timeoutMs: 15_000 });

  const backlog = async () => {
    const state = await bus.connection.current().jsm.consumers.info(CONSUMERS.judge.stream, CONSUMERS.judge.durable);
    return { inHand: state.num_ack_pending, waiting: state.num_pending };
  };

  const allDone = () =>
    until(async () => Object.values(await backlog()).every((count) => count === 0), { what: 'an empty queue' });

  const script = (...answers: Omit<ScriptedAnswer, 'to'>[]): void => {
    judge.script(...answers.map((answer) => ({ ...answer, to: 'judge' as const })));
  };

  beforeAll(async () => {
    nats = await startNatsServer();
    bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
    await bus.ready();
  });
  beforeEach(async () => {
    judge = await startEngineDouble({});
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map(({ app }) => app.close()));
    await judge.close();
    logged.length = 0;
  });
  afterAll(async () => {
    await bus.close();
    await nats.stop();
  });

  it('rests where hints alone train, and leaves the turns to others', async () => {
    const resting = await start({ OPENCLAW_RL_RL_ALGORITHM: 'opd' });
    await until(async () => (await resting.ready()).status === 200, { what: 'ready, with the bus up' });
    expect((await resting.ready()).body).toMatchObject({ status: 'ok', judge: 'not asked with rl.algorithm opd' });
    const working = await start();
    const turns = await Promise.all(Array.from({ length: 6 }, () => turn()));
    await Promise.all(turns.map((turnId) => judged(turnId)));
    await until(async () => (await working.metric('turns_judged_total'))['1'] === turns.length, { what: 'all by one' });
    await expect(resting.metric('votes_total')).resolves.toEqual({});
  });

  it('judges by what followed, and publishes every vote with its text', async () => {
    const replica = await start();
    const [good, bad] = await Promise.all([turn('thanks, perfect'), turn('no, that is wrong')]);
    const verdict = await judged(good);
    expect(verdict.info).toMatchObject({ turnId: good, session: 'session', score: 1 });
    expect(verdict.body.head).toMatchObject({ judgeModel: 'judge' });
    expect(verdict.body.head.votes.length).toBeGreaterThanOrEqual(2);
    expect(verdict.body.head.votes[0]).toMatchObject({ score: 1, text: expect.stringContaining('"score":1') });
    expect((await judged(bad)).info.score).toBe(-1);
    await allDone();
    await expect(replica.metric('turns_judged_total')).resolves.toEqual({ '1': 1, '-1': 1 });
    await expect(replica.ready()).resolves.toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it.each([
    ['stops asking once the votes have decided', {}, [1, 1]],
    ['hears every vote where a reward is made of their mean', { OPENCLAW_RL_REWARD_INTEGRATED: '1' }, [1, 1, -1]],
  ])('%s', async (_name, env, scores) => {
    await start(env);
    script({ content: '{"score": 1}' }, { content: '{"score": 1}' }, { content: '{"score": -1}', firstDelayMs: 400 });
    const verdict = await judged(await turn());
    expect(verdict.info.score).toBe(1);
    expect(verdict.body.head.votes.map(({ score }) => score)).toEqual(scores);
  });

  it('shows the judge all tool results, and a text of feedback as what the user said', async () => {
    await start();
    const [called, rated, next] = [randomUUID(), randomUUID(), randomUUID()];
    const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"/x"}' } };
    await complete(called, { role: 'assistant', content: null, tool_calls: [call] });
    await arrive(next, [
      { role: 'tool', content: 'FIRST permission denied, it failed' },
      { role: 'tool', content: 'SECOND fine' },
    ]);
    await follow(called, { nextTurnId: next });
    expect((await judged(called)).info).toMatchObject({ score: -1, nextTurnId: next });
    expect(judge.chats('judge')[0]!.lastText).toMatch(
      /name="read">\s+{"path":"\/x"}[^]*FIRST permission denied[^]*SECOND fine/,
    );

    await complete(rated, { role: 'assistant', content: 'ok' });
    await bus.publish(FeedbackGiven, [rated, 'f1'], {
      info: { turnId: rated, feedbackId: 'f1', scope: 's', givenAt: 1, hasText: true },
      head: { text: 'great work' },
    });
    await follow(rated, { feedbackId: 'f1' });
    expect((await judged(rated)).info).toMatchObject({ score: 1, feedbackId: 'f1' });
  });

  it('judges each turn once with two replicas, and both have their share', async () => {
    const both = [await start(), await start()];
    judge.script(() => ({ to: 'judge', content: '{"score": 1}', firstDelayMs: 40 }));
    const turns = await Promise.all(Array.from({ length: 40 }, () => turn()));
    const verdicts = await Promise.all(turns.map((turnId) => judged(turnId)));
    expect(verdicts.every(({ info: { score } }) => score === 1)).toBe(true);
    await allDone();
    const shares = await Promise.all(both.map(async (each) => (await each.metric('turns_judged_total'))['1'] ?? 0));
    expect(shares[0]! + shares[1]!).toBe(40);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(12);
    for (const turnId of turns) {
      const asked = judge.chats('judge').filter(({ lastText }) => lastText.includes(turnId));
      expect(asked.length).toBeLessThanOrEqual(3);
    }
  });

  describe('with one vote and an answer that', () => {
    const one = {
      OPENCLAW_RL_JUDGE_VOTES: '1',
      OPENCLAW_RL_JUDGE_FORMAT: 'boxed',
      OPENCLAW_RL_JUDGE_MAX_ATTEMPTS: '2',
    };
    const right = { content: 'So \\boxed{-1}' };

    it.each<[string, Omit<ScriptedAnswer, 'to'>[]]>([
      ['is in the wrong form', [{ content: 'I liked it.' }, right]],
      ['repeats the rubric', [{ content: 'Either \\boxed{1}, \\boxed{-1} or \\boxed{0}.' }, right]],
      ['is cut off', [{ content: 'At first sight \\boxed{1} but then again', cutOffAfterTokens: 12 }, right]],
      ['only thinks', [{ reasoning: 'hm \\boxed{1}' }, right]],
      ['is a refusal for now', [{ status: 429, headers: { 'retry-after': '0.1' } }, right]],
      ['is an error of the server', [{ status: 500 }, right]],
      ['is no JSON', [{ status: 200, body: '<html>' }, right]],
      ['has no choices', [{ status: 200, body: { choices: [] } }, right]],
      ['breaks off', [{ content: 'some words', breakAfterTokens: 1 }, right]],
      ['is late', [{ content: 'So \\boxed{-1}', firstDelayMs: 300 }]],
    ])('%s, the verdict is the right one in the end', async (_, answers) => {
      await start(one);
      script(...answers);
      expect((await judged(await turn())).info.score).toBe(-1);
      expect([judge.chats('judge').length, judge.unusedAnswers]).toEqual([answers.length, 0]);
    });

    it('never comes, the question is asked again after the time limit', async () => {
      await start({ ...one, OPENCLAW_RL_JUDGE_TIMEOUT_S: '0.2' });
      script({ hang: true }, right);
      expect((await judged(await turn())).info.score).toBe(-1);
      expect(judge.chats('judge').map(({ state }) => state)).toEqual(['aborted', 'answered']);
    });

    it('asks to wait, nothing is asked before that', async () => {
      await start(one);
      script({ status: 429, headers: { 'retry-after': '1' } }, right);
      const askedAt = performance.now();
      await judged(await turn());
      expect(performance.now() - askedAt).toBeGreaterThanOrEqual(1000);
    });

    it('stays in the wrong form, the turn is not judged, and that is not neutral', async () => {
      await start(one);
      script({ content: 'good' }, { content: 'bad' });
      const { info: verdict, body } = await judged(await turn());
      expect([verdict.score, body.head.detail, body.head.votes]).toEqual([
        null,
        'no_valid_vote',
        [{ score: null, text: 'bad', millis: expect.any(Number) }],
      ]);
      expect(logged.filter((line) => line.includes('judge.format'))).toHaveLength(1);
    });
  });

  it('asks a server without JSON schemas in words, after one refusal', async () => {
    judge.set({ jsonSchema: false });
    await start({ OPENCLAW_RL_JUDGE_VOTES: '1' });
    expect((await judged(await turn())).body.head.votes[0]!.text).toContain('\\boxed{1}');
    await judged(await turn());
    expect(judge.chats('judge').map(({ body }) => 'response_format' in body)).toEqual([true, false, false]);
  });

  it('gives up votes that can change nothing any more', async () => {
    await start();
    script({ content: '{"score": 1}' }, { content: '{"score": 1}' }, { hang: true });
    expect((await judged(await turn())).body.head.votes).toHaveLength(2);
    await until(() => judge.chats('judge').some(({ state }) => state === 'aborted'), { what: 'the third call to end' });
  });

  it.each([0, 1.5])("asks at the judge's temperature, %d", async (temperature) => {
    await start({ OPENCLAW_RL_JUDGE_TEMPERATURE: String(temperature) });
    await judged(await turn());
    expect(new Set(judge.chats('judge').map(({ body }) => body.temperature))).toEqual(new Set([temperature]));
  });

  it('shows the judge its key, and allows it as many tokens as it may use', async () => {
    judge.set({ apiKey: 'right' });
    await start({
      ...{ OPENCLAW_RL_SERVER_JUDGE_API_KEY_ENV: 'KEY_OF_THE_JUDGE', KEY_OF_THE_JUDGE: 'right' },
      OPENCLAW_RL_JUDGE_MAX_TOKENS: '77',
    });
    await judged(await turn());
    expect(new Set(judge.chats('judge').map(({ body }) => body.max_tokens))).toEqual(new Set([77]));
  });

  describe('outage', () => {
    it.each([1, 4])('begins with the failure in a row that judge.breaker_failures says: %d', async (failures) => {
      let down = true;
      judge.script(() => ({ to: 'judge', ...(down ? { status: 503 } : { content: '{"score": 1}' }) }));
      const replica = await start({
        OPENCLAW_RL_JUDGE_BREAKER_FAILURES: String(failures),
        OPENCLAW_RL_JUDGE_BREAKER_OPEN_S: '3',
        OPENCLAW_RL_JUDGE_VOTES: '1',
        OPENCLAW_RL_JUDGE_CONCURRENCY: '1',
        OPENCLAW_RL_JUDGE_MAX_ATTEMPTS: '1',
      });
      const turnId = await turn();
      await until(async () => (await replica.metric('judge_breaker_open'))[''] === 1, {
        what: 'the breaker to open',
        timeoutMs: 20_000,
      });
      expect(judge.chats('judge')).toHaveLength(failures);
      down = false;
      expect((await judged(turnId, 20_000)).info.score).toBe(1);
    });

    it('delays every judgement and decides none; it takes up again by itself', async () => {
      const env = { OPENCLAW_RL_JUDGE_MAX_ATTEMPTS: '1', OPENCLAW_RL_JUDGE_CONCURRENCY: '6' };
      const both = [await start(env), await start(env)];
      let down = true;
      judge.script(() => ({ to: 'judge', ...(down ? { status: 503 } : { content: '{"score": 1}' }) }));
      const turns = await Promise.all(Array.from({ length: 30 }, () => turn()));
      await until(async () => (await both[0]!.ready()).body.status === 'degraded', { what: 'the breaker to open' });
      await expect(both[0]!.metric('judge_breaker_open')).resolves.toEqual({ '': 1 });
      // Three rounds of probes: the queue stays in the stream instead of going back and forth.
      const before = judge.chats('judge').length;
      await until(() => judge.chats('judge').length >= before + 4, { what: 'probes of both replicas' });
      expect((await backlog()).inHand).toBeLessThanOrEqual(8);
      expect(await Promise.all(turns.map((turnId) => bus.read(TurnJudged, turnId)))).toEqual(Array(30).fill(null));
      down = false;
      const verdicts = await Promise.all(turns.map((turnId) => judged(turnId, 20_000)));
      expect(verdicts.map(({ info: { score } }) => score)).toEqual(Array(30).fill(1));
      expect(await Promise.all(turns.map((turnId) => bus.read(TurnSettled, turnId)))).toEqual(Array(30).fill(null));
      // A replica whose turns the other one has taken finds out with the next that it gets.
      const isWell = async (): Promise<boolean> => {
        await judged(await turn(), 20_000);
        return (await both[0]!.ready()).body.status === 'ok';
      };
      await until(isWell, { what: 'the breaker to close', timeoutMs: 20_000 });
    });

    it('lasts as long as the key is wrong, and says once which setting to mend', async () => {
      judge.set({ apiKey: 'right' });
      await start();
      const turnId = await turn();
      await until(() => judge.chats('judge').length > 6 || judge.requests.length > 6, { what: 'several refusals' });
      expect(logged.filter((line) => line.includes('server.judge_api_key_env'))).toHaveLength(1);
      await expect(bus.read(TurnJudged, turnId)).resolves.toBeNull();
      judge.set({ apiKey: undefined });
      expect((await judged(turnId)).info.score).toBe(1);
    });

    it('of a server that is not there ends when it comes', async () => {
      const { port } = judge;
      await judge.close();
      await start({ OPENCLAW_RL_JUDGE_MAX_ATTEMPTS: '1' });
      const turnId = await turn();
      await until(() => logged.some((line) => line.includes('cannot be reached')), { what: 'the advice' });
      judge = await startEngineDouble({ port });
      expect((await judged(turnId)).info.score).toBe(1);
    });
  });

  it('settles a turn whose messages are gone, and leaves one that is excluded alone', async () => {
    await start();
    const [lost, orphan, undelivered] = [randomUUID(), randomUUID(), randomUUID()];
    await follow(lost, { nextTurnId: randomUUID() });
    await complete(orphan, { role: 'assistant', content: 'x' });
    await follow(orphan, { nextTurnId: randomUUID() });
    await complete(undelivered, { role: 'assistant', content: 'x' }, 'undelivered');
    await follow(undelivered, { nextTurnId: randomUUID() });
    expect((await settled(lost)).info).toMatchObject({ kind: 'reason', reason: 'turn_lost', session: 'session' });
    expect((await settled(orphan)).info.reason).toBe('turn_lost');
    await allDone();
    await expect(bus.read(TurnSettled, undelivered)).resolves.toBeNull();
    expect(judge.chats('judge')).toEqual([]);
  });

  it('waits for a turn that is stored a moment after it was followed', async () => {
    await start();
    const [turnId, next] = [randomUUID(), randomUUID()];
    await arrive(next, [{ role: 'user', content: 'great' }]);
    await follow(turnId, { nextTurnId: next });
    await until(async () => (await backlog()).inHand === 1, { what: 'the first try' });
    await complete(turnId, { role: 'assistant', content: 'x' });
    expect((await judged(turnId)).info.score).toBe(1);
  });

  it('settles a message that nobody can read', async () => {
    await start();
    const turnId = randomUUID();
    const encoded = TurnFollowed.encode([turnId], { turnId, session: 's', role: 'user', feedbackId: 'f' }, {});
    await bus.publishEncoded({ ...encoded, info: '{"turnId": 7}' });
    expect((await settled(turnId)).info).toMatchObject({ turnId, reason: 'dead_letter' });
  });

  it('gives running votes back when it stops, and does not ask again for a turn that was judged meanwhile', async () => {
    const first = await start();
    script({ hang: true }, { hang: true }, { hang: true }, { hang: true }, { hang: true }, { hang: true });
    const [open, done] = [await turn(), await turn()];
    await until(() => judge.chats('judge').length === 6, { what: 'all votes to be asked for' });
    await bus.publish(TurnJudged, [done], {
      info: { turnId: done, session: 's', score: -1, judgedAt: 1 },
      head: { judgeModel: 'other', votes: [] },
    });
    await start();
    await first.app.close();
    replicas.splice(replicas.indexOf(first), 1);
    expect((await judged(open)).info.score).toBe(1);
    await allDone();
    const asked = judge.chats('judge').slice(6);
    expect(asked.every(({ lastText }) => lastText.includes(open))).toBe(true);
    expect((await judged(done)).info.score).toBe(-1);
  });

  it('judges every turn once over crashes of NATS', async () => {
    const both = [await start(), await start()];
    judge.script(() => ({ to: 'judge', content: '{"score": 1}', firstDelayMs: 60 }));
    const turns = await Promise.all(Array.from({ length: 60 }, () => turn()));
    await judged(turns[0]!);
    await nats.kill();
    await expect(both[0]!.ready()).resolves.toBeDefined();
    await until(async () => (await both[0]!.ready()).status === 503, { what: 'the loss of NATS to be seen' });
    await nats.restart();
    const verdicts = await Promise.all(turns.map((turnId) => judged(turnId, 60_000)));
    expect(verdicts.map(({ info: { score } }) => score)).toEqual(Array(60).fill(1));
    expect(await Promise.all(turns.map((turnId) => bus.read(TurnSettled, turnId)))).toEqual(Array(60).fill(null));
  }, 90_000);

  it('keeps conversations out of logs and metrics', async () => {
    const replica = await start({ OPENCLAW_RL_JUDGE_MAX_ATTEMPTS: '1' });
    script(
      { status: 500, message: 'secret-word' },
      { content: 'secret-word' },
      { status: 400, message: 'secret-word' },
    );
    await judged(await turn('secret-word, it works'));
    const metrics = await replica.app.get(Telemetry).registry.metrics();
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join('\n') + metrics).not.toContain('secret-word');
  });

  describe('with several engines', () => {
    let second: EngineDouble;

    const startWithBoth = (env: Record<string, string> = {}): Promise<Replica> =>
      start({
        OPENCLAW_RL_SERVER_JUDGE_BASE_URL: '',
        OPENCLAW_RL_POOLS_PRM_ENGINES: `${judge.url},${second.url}`,
        ...env,
      });

    beforeEach(async () => {
      second = await startEngineDouble({});
    });
    afterEach(() => second.close());

    it('asks the one with the least to do', async () => {
      await startWithBoth();
      let answer: (value?: unknown) => void = () => undefined;
      const hold = new Promise((resolve) => (answer = resolve));
      judge.script(() => ({ to: 'judge', content: '{"score": 1}', hold }));
      const turns = await Promise.all(Array.from({ length: 6 }, () => turn()));
      // What one of them holds up, the other one goes on without.
      await until(() => second.chats('judge').length > judge.chats('judge').length, { what: 'the other one is asked' });
      answer();
      for (const turnId of turns) expect((await judged(turnId)).info.score).toBe(1);
      expect(judge.chats('judge').length).toBeGreaterThan(0);
    });

    it('looks at each as often as pools.check_every_s says', async () => {
      await startWithBoth({ OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.05' });
      const looks = (): number[] =>
        [judge, second].map(({ requests }) => requests.filter(({ path }) => path === '/health').length);
      await until(() => Math.min(...looks()) >= 40, { what: 'forty looks at each engine', timeoutMs: 20_000 });
    });

    it('goes on without one that is down, says so, and takes it back', async () => {
      const { port } = judge;
      const host = new URL(judge.url).host;
      await judge.close();
      const replica = await startWithBoth({ OPENCLAW_RL_JUDGE_BREAKER_FAILURES: '2', OPENCLAW_RL_JUDGE_VOTES: '1' });
      for (let i = 0; i < 3; i += 1) expect((await judged(await turn())).info.score).toBe(1);
      await expect(replica.ready()).resolves.toMatchObject({ body: { status: 'ok', judge: 'up' } });
      expect(logged).toContain(`prm engine ${host} gets no requests: its last calls or health checks have failed`);
      judge = await startEngineDouble({ port });
      await until(
        async () => {
          await judged(await turn());
          return logged.includes(`prm engine ${host} gets requests again: it is in order`);
        },
        { what: 'it is back', timeoutMs: 15_000 },
      );
    });
  });

  it('knows of an engine that is down before anybody has asked it, and of its return', async () => {
    const second = await startEngineDouble({});
    const { port } = second;
    const host = new URL(second.url).host;
    const replica = await start({
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: '',
      OPENCLAW_RL_POOLS_PRM_ENGINES: `${judge.url},${second.url}`,
      OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1',
      OPENCLAW_RL_POOLS_EJECT_FAILURES: '2',
    });
    const isIn = async (): Promise<boolean> => {
      const metrics = await replica.app.get(Telemetry).registry.metrics();
      return metrics.includes(`engine_in_rotation{pool="prm",engine="${host}"} 1`);
    };
    await until(isIn, { what: 'it is in rotation' });
    await second.close();
    await until(async () => !(await isIn()), { what: 'it is out' });
    for (let i = 0; i < 3; i += 1) expect((await judged(await turn())).info.score).toBe(1);
    expect(await replica.metric('votes_total')).not.toHaveProperty('failed');
    const back = await startEngineDouble({ port });
    try {
      await until(isIn, { what: 'it is back' });
    } finally {
      await back.close();
    }
  });

  describe('on the policy’s engine', () => {
    const closed = (until: number): PolicyState => {
      const update = { token: 't', requestId: 'r', asked: '', leaseIds: [], leaseMs: 60_000, startedAt: 1 };
      return { ...INITIAL_POLICY_STATE, gate: { state: 'updating', until, holder: 'a', update } };
    };
    const setState = async (state: PolicyState): Promise<void> => {
      const bucket = await bus.bucket(BUCKETS.policy);
      await bucket.put(POLICY_KEY, JSON.stringify(state));
    };
    const startShared = (env: Record<string, string> = {}): Promise<Replica> =>
      start({ OPENCLAW_RL_SERVER_BASE_URL: judge.url, OPENCLAW_RL_SERVER_POLICY_MODEL: 'judge', ...env });
    const gated = (replica: Replica, isGated: boolean) =>
      until(async () => (await replica.ready()).body.judge === (isGated ? 'waits for a weight update' : 'up'), {
        what: isGated ? 'the judge waits' : 'the judge goes on',
      });

    afterEach(() => setState(INITIAL_POLICY_STATE));

    it('waits while the gate is closed, and goes on when it opens', async () => {
      const replica = await startShared();
      await setState(closed(Date.now() + 60_000));
      await gated(replica, true);
      const turnId = await turn();
      await gated(replica, true);
      expect(judge.chats('judge')).toEqual([]);
      await setState(INITIAL_POLICY_STATE);
      expect((await judged(turnId)).info.score).toBe(1);
    });

    it('goes on by itself when the lease of an update ends', async () => {
      const replica = await startShared();
      await setState(closed(Date.now() + 1500));
      await gated(replica, true);
      expect((await judged(await turn())).info.score).toBe(1);
    });

    it('takes no failure of an engine whose weights are changed for an outage', async () => {
      const replica = await startShared({ OPENCLAW_RL_JUDGE_BREAKER_FAILURES: '1', OPENCLAW_RL_JUDGE_VOTES: '1' });
      let fail: (value?: unknown) => void = () => undefined;
      const hold = new Promise((resolve) => (fail = resolve));
      judge.script({ to: 'judge', hold, content: 'It was of help', breakAfterTokens: 1 });
      const turnId = await turn();
      await until(() => judge.chats('judge').length === 1, { what: 'a vote is under way' });
      await setState(closed(Date.now() + 60_000));
      await gated(replica, true);
      fail();
      await until(() => judge.chats('judge')[0]?.state === 'broken', { what: 'the engine drops the vote' });
      await gated(replica, true);
      await setState(INITIAL_POLICY_STATE);
      expect((await judged(turnId)).info.score).toBe(1);
      expect(logged.filter((line) => line.includes('judging is paused'))).toEqual([]);
      await expect(replica.metric('votes_total')).resolves.toEqual({ '1': 1 });
    });

    it('is waited for where engines have to be let end', async () => {
      const replica = await startShared({ OPENCLAW_RL_JUDGE_VOTES: '1' });
      let answer: (value?: unknown) => void = () => undefined;
      const hold = new Promise((resolve) => (answer = resolve));
      judge.script({ to: 'judge', hold, content: '{"score": 1}' });
      const turnId = await turn();
      await until(() => judge.chats('judge').length === 1, { what: 'a vote is under way' });
      await setState(closed(Date.now() + 60_000));
      await gated(replica, true);
      expect(await isDrained(bus, 't')).toBe(false);
      answer();
      await judged(turnId);
      expect(await isDrained(bus, 't')).toBe(true);
    });

    it('is no concern of a judge on an engine of its own', async () => {
      await start({ OPENCLAW_RL_SERVER_BASE_URL: 'http://127.0.0.1:9', OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' });
      await setState(closed(Date.now() + 60_000));
      expect((await judged(await turn())).info.score).toBe(1);
    });
  });
});
