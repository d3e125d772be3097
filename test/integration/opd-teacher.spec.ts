import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus } from '@app/bus';
import { BUCKETS, CONSUMERS, TurnArrived, TurnCompleted, TurnFollowed, TurnHinted, TurnSettled } from '@app/contracts';
import { INITIAL_POLICY_STATE, isDrained, POLICY_KEY, type PolicyState } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import {
  decode,
  encode,
  freePort,
  nextLogProbs,
  SPECIAL,
  startEngineDouble,
  startNatsServer,
  topTokens,
  until,
  type EngineDouble,
  type NatsServer,
} from '@app/testing';
import { OpdTeacherModule } from '../../apps/opd-teacher/src/opd-teacher.module';
import { Teacher } from '../../apps/opd-teacher/src/teaching/teacher';
import { mainTurn } from '../support/main-turn';
import { settingsFrom } from '../support/settings-from';
import { Opened } from '../support/opened';
import { SlowProxy } from '../support/slow-proxy';
import { metricOf, startWorker } from '../support/worker';

type Message = { role: string; [key: string]: unknown };

interface TurnOptions {
  readonly said?: string;
  readonly temperature?: number | null;
  readonly tempered?: boolean | null;
  readonly exclusion?: 'no_token_ids' | 'undelivered';
  readonly promptIds?: readonly number[];
}

const MESSAGES: Message[] = [
  { role: 'system', content: 'be useful' },
  { role: 'user', content: 'compare tea and coffee' },
];
const RESPONSE = 'Tea | coffee';
const RESPONSE_IDS = [...encode(RESPONSE), SPECIAL.imEnd];
const CORRECTION = 'no, that is wrong: use a list, not a table';

describe('opd-teacher', () => {
  let nats: NatsServer;
  let bus: Bus;
  /** Judge and teacher: the policy's vocabulary, other weights. */
  let prm: EngineDouble;
  let policy: EngineDouble;
  const opened = new Opened();
  const logged: string[] = [];

  const start = async (env: Record<string, string> = {}): Promise<NestFastifyApplication> => {
    const settings = settingsFrom({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_RL_ALGORITHM: 'opd',
      OPENCLAW_RL_SERVER_BASE_URL: policy.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: prm.url,
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
      OPENCLAW_RL_JUDGE_BREAKER_OPEN_S: '0.4',
      OPENCLAW_RL_JUDGE_TIMEOUT_S: '5',
      ...env,
    });
    return opened.add(await startWorker(OpdTeacherModule.forSettings(settings), logged));
  };

  /** The prompt as an engine renders it, asked for apart from everything that is tested. */
  const render = async (messages: readonly Message[]): Promise<number[]> => {
    const response = await fetch(`${policy.url}/v1/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    });
    return ((await response.json()) as { tokens: number[] }).tokens;
  };

  /** Stores a turn and what followed it; returns its id. */
  const turn = async (options: TurnOptions = {}): Promise<string> => {
    const [turnId, nextTurnId] = [randomUUID(), randomUUID()];
    const { exclusion, temperature = 1, tempered = true } = options;
    const promptIds = options.promptIds ?? (await render(MESSAGES));
    const ids = exclusion === 'no_token_ids' ? [] : promptIds;
    const responseIds = exclusion === 'no_token_ids' ? [] : RESPONSE_IDS;
    await bus.publish(TurnCompleted, [turnId], {
      info: { ...mainTurn(turnId), completedAt: Date.now(), ...(exclusion === undefined ? {} : { exclusion }) },
      head: {
        sessionId: null,
        model: 'm',
        messages: MESSAGES,
        response: { role: 'assistant', content: RESPONSE },
        finishReason: 'stop',
        sampling: { temperature, topP: null, topK: null },
        logProbsTempered: tempered,
        route: exclusion === 'no_token_ids' ? 'text' : 'sglext',
        weightVersions: [],
        policyVersion: { start: 0, end: 0 },
      },
      arrays: {
        promptIds: Int32Array.from(ids),
        responseIds: Int32Array.from(responseIds),
        logProbs: Float64Array.from(responseIds, () => -1),
      },
    });
    await bus.publish(TurnArrived, [nextTurnId], {
      info: { ...mainTurn(nextTurnId), nextStateRole: 'user' },
      head: { nextState: [{ role: 'user', content: options.said ?? CORRECTION }] },
    });
    await bus.publish(TurnFollowed, [turnId], {
      info: { turnId, session: 'session', role: 'user', nextTurnId },
      head: {},
    });
    return turnId;
  };

  const hinted = (turnId: string, timeoutMs = 15_000) =>
    until(() => bus.read(TurnHinted, turnId), { what: `turn.hinted of ${turnId}`, timeoutMs });

  const scoringCalls = (engine: EngineDouble) => engine.requests.filter(({ path }) => path === '/generate');

  const backlog = async () => {
    const { stream, durable } = CONSUMERS.teacher;
    const state = await bus.connection.current().jsm.consumers.info(stream, durable);
    return state.num_ack_pending + state.num_pending;
  };

  /** Log-probs of the response behind a prompt, from the model itself. */
  const scoredBy = (version: string, promptIds: readonly number[]): number[] => {
    const ids = [...promptIds, ...RESPONSE_IDS];
    return RESPONSE_IDS.map((id, i) => nextLogProbs(version, ids.slice(0, promptIds.length + i))[id]!);
  };

  const withHint = (hint: string): Message[] => [
    MESSAGES[0]!,
    { role: 'user', content: `compare tea and coffee\n\n[user's hint / instruction]\n${hint}` },
  ];

  beforeAll(async () => {
    nats = await startNatsServer();
    bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
    await bus.ready();
  });
  beforeEach(async () => {
    prm = opened.add(await startEngineDouble({ model: 'prm', weightVersion: 'teacher' }));
    policy = opened.add(await startEngineDouble({ weightVersion: 'student' }));
  });
  afterEach(async () => {
    await opened.close();
    logged.length = 0;
  });
  afterAll(async () => {
    await bus.close();
    await nats.stop();
  });

  it('makes a hint of a correction, and scores the answer’s own tokens behind the prompt with the hint', async () => {
    const app = await start();
    const turnId = await turn();
    const { info: result, body } = await hinted(turnId);
    const hint = `Take this into account: ${CORRECTION}`;
    expect(result).toMatchObject({ turnId, session: 'session' });
    expect(result.reason).toBeUndefined();
    expect(body.head).toMatchObject({ judgeModel: 'judge', teacherModel: 'judge', selected: 0, hint });
    expect(body.head.votes).toHaveLength(3);
    for (const vote of body.head.votes) expect(vote).toMatchObject({ decision: 1, hint });

    const promptIds = await render(withHint(hint));
    const expected = scoredBy('teacher', promptIds);
    expect(body.arrays.teacherLogProbs).toHaveLength(RESPONSE_IDS.length);
    [...body.arrays.teacherLogProbs!].forEach((logProb, i) => {
      expect(logProb).toBeCloseTo(expected[i]!, 9);
    });
    const call = scoringCalls(prm).at(-1)!.body;
    expect(call).toMatchObject({
      input_ids: [...promptIds, ...RESPONSE_IDS],
      sampling_params: { max_new_tokens: 0 },
      logprob_start_len: promptIds.length - 1,
    });
    expect(scoringCalls(policy)).toHaveLength(0);
    await expect(metricOf(app, 'turns_hinted_total')).resolves.toEqual({ hinted: 1 });
    await expect(metricOf(app, 'votes_total')).resolves.toEqual({ hint: 3 });
  });

  it('takes the longest hint of all votes', async () => {
    await start();
    const votes = [
      { decision: 1, hint: 'Use a list.' },
      { decision: -1, hint: 'a very long hint of a vote that says there is none' },
      { decision: 1, hint: 'Use a list, and no table.' },
    ];
    prm.script(...votes.map((vote) => ({ to: 'judge' as const, content: JSON.stringify({ reason: 'r', ...vote }) })));
    const { head } = (await hinted(await turn())).body;
    expect(head.hint).toBe('Use a list, and no table.');
    expect(head.votes.map(({ decision }) => decision).sort()).toEqual([-1, 1, 1]);
  });

  it('has no signal where nothing is to be learnt, and says why', async () => {
    await start();
    const { info: result, body } = await hinted(await turn({ said: 'thanks, great' }));
    expect(result.reason).toBe('no_hint');
    expect(body.head).toMatchObject({ selected: null, hint: null });
    expect(body.head.votes.map(({ decision }) => decision)).toEqual([-1, -1, -1]);
    expect(body.arrays).toEqual({});
  });

  it.each<[string, TurnOptions, string | undefined]>([
    ['before the temperature, served at 0.6', { temperature: 0.6, tempered: false }, undefined],
    ['after the temperature, served at 0.6', { temperature: 0.6, tempered: true }, 'temperature_mismatch'],
    ['after a temperature that nobody named', { temperature: null, tempered: true }, 'temperature_mismatch'],
  ])('compares log-probs taken %s at one temperature, or not at all', async (_name, options, reason) => {
    await start();
    const { info: result, body } = await hinted(await turn(options));
    expect(result.reason).toBe(reason);
    expect(body.arrays.teacherLogProbs === undefined).toBe(reason !== undefined);
    expect(prm.chats('judge').length).toBe(reason === undefined ? 3 : 0);
  });

  it('takes the configuration’s word for a temperature that nobody named', async () => {
    await start({ OPENCLAW_RL_OPD_STUDENT_TEMPERATURE: '1' });
    const { info: result } = await hinted(await turn({ temperature: null, tempered: true }));
    expect(result.reason).toBeUndefined();
  });

  it('has no signal for a turn without token ids, nor for one that was rendered otherwise', async () => {
    await start();
    expect((await hinted(await turn({ exclusion: 'no_token_ids' }))).info.reason).toBe('no_token_ids');
    const { info: result, body } = await hinted(await turn({ promptIds: [...(await render(MESSAGES)), 1] }));
    expect([result.reason, body.head.selected]).toEqual(['prompt_mismatch', 0]);
    expect(body.arrays).toEqual({});
  });

  it('fills in nothing where the scores are not whole', async () => {
    await start();
    await hinted(await turn());
    prm.set({ faults: ['entries_shifted'] });
    const { info: result, body } = await hinted(await turn());
    expect(result.reason).toBe('scores_incomplete');
    expect(body.head.detail).toContain('the window begins with');
    expect(body.arrays).toEqual({});
  });

  it('has no signal for a prompt that the teacher refuses', async () => {
    await start({ OPENCLAW_RL_OPD_TEACHER: 'policy' });
    await hinted(await turn());
    policy.set({ contextLength: 8 });
    expect((await hinted(await turn())).info.reason).toBe('teacher_refused');
  });

  it('cuts a long hint behind a sentence', async () => {
    await start({ OPENCLAW_RL_OPD_MAX_HINT_TOKENS: '16' });
    const hint =
      'Use a list. Then say in a long sentence with many more words which of the two you would take, and why.';
    expect(encode(hint).length).toBeGreaterThan(16);
    prm.script(() => ({ to: 'judge', content: JSON.stringify({ decision: 1, hint }) }));
    expect((await hinted(await turn())).body.head).toMatchObject({
      hint: 'Use a list.',
      votes: [{ hint }, { hint }, { hint }],
    });
  });

  it('carries the likeliest tokens of the teacher with top-K distillation', async () => {
    await start({ OPENCLAW_RL_OPD_DISTILL_TOPK: '3' });
    const { body } = await hinted(await turn());
    const promptIds = await render(withHint(body.head.hint!));
    const ids = [...promptIds, ...RESPONSE_IDS];
    const top = RESPONSE_IDS.flatMap((_, i) =>
      topTokens(nextLogProbs('teacher', ids.slice(0, promptIds.length + i)), 3),
    );
    expect([...body.arrays.topIds!]).toEqual(top.map(({ id }) => id));
    [...body.arrays.topLogProbs!].forEach((logProb, i) => {
      expect(logProb).toBeCloseTo(top[i]!.logProb, 9);
    });
    expect([...body.arrays.topPresent!]).toEqual(RESPONSE_IDS.map(() => 1));
  });

  it('takes the policy for the teacher where the judge cannot score', async () => {
    prm.set({ dialect: 'openai' });
    await start();
    const { body } = await hinted(await turn());
    const expected = scoredBy('student', await render(withHint(body.head.hint!)));
    expect(body.head.teacherModel).toBe('double');
    [...body.arrays.teacherLogProbs!].forEach((logProb, i) => {
      expect(logProb).toBeCloseTo(expected[i]!, 9);
    });
  });

  it('lets turns wait while the teacher has another vocabulary, and says what to mend', async () => {
    prm.set({ faults: ['tokenize_loses_a_token'] });
    const app = await start({ OPENCLAW_RL_OPD_TEACHER: 'prm' });
    const turnId = await turn();
    await until(() => logged.some((line) => line.includes('tokenises') && line.includes('set opd.teacher')), {
      what: 'the complaint',
    });
    const ready = (await (await fetch(`${await app.getUrl()}/readyz`)).json()) as object;
    expect(ready).toMatchObject({ status: 'degraded', teacher: 'none' });
    expect(await bus.read(TurnHinted, turnId)).toBeNull();
    prm.set({ faults: [] });
    expect((await hinted(turnId)).info.reason).toBeUndefined();
  });

  it.each([1, 3])(
    'asks a teacher of its own, never more than %d at once, and again after a time limit',
    async (most) => {
      const proxy = opened.add(new SlowProxy(prm.url, 40));
      const url = await proxy.start();
      await start({
        OPENCLAW_RL_OPD_TEACHER: url,
        OPENCLAW_RL_OPD_TEACHER_MODEL: 'scorer',
        OPENCLAW_RL_OPD_TEACHER_API_KEY_ENV: 'TEACHER_KEY',
        TEACHER_KEY: 'teacher-key',
        OPENCLAW_OPD_TEACHER_LP_MAX_CONCURRENCY: String(most),
        OPENCLAW_RL_OPD_TEACHER_TIMEOUT_S: '1',
      });
      const turns = await Promise.all(Array.from({ length: 12 }, () => turn()));
      const results = await Promise.all(turns.map((turnId) => hinted(turnId)));
      expect(results.map((result) => result.info.reason)).toEqual(turns.map(() => undefined));
      expect(proxy.mostAtOnce).toBe(most);
      expect(proxy.passed.every(({ authorization }) => authorization === 'Bearer teacher-key')).toBe(true);
      expect(proxy.passed.find(({ path }) => path === '/v1/tokenize')?.body.model).toBe('scorer');
      expect(results[0]!.body.head.teacherModel).toBe('scorer');
      proxy.swallow = 1;
      expect((await hinted(await turn())).info.reason).toBeUndefined();
      expect(proxy.swallow).toBe(0);
    },
  );

  it('waits for a teacher that is down without voting again, and takes up by itself', async () => {
    const proxy = opened.add(new SlowProxy(prm.url, 0));
    const url = await proxy.start();
    const retries = { OPENCLAW_RL_JUDGE_MAX_ATTEMPTS: '1', OPENCLAW_RL_OPD_TEACHER_TIMEOUT_S: '0.2' };
    await start({ OPENCLAW_RL_OPD_TEACHER: url, ...retries });
    await hinted(await turn());
    const before = prm.chats('judge').length;
    proxy.swallow = 3;
    const { body } = await hinted(await turn());
    expect(proxy.swallow).toBe(0);
    expect(body.arrays.teacherLogProbs).toHaveLength(RESPONSE_IDS.length);
    expect(prm.chats('judge').length - before).toBe(3);
  });

  it('hints every turn once with two replicas, over a crash of NATS', async () => {
    const both = [await start(), await start()];
    const turns = await Promise.all(Array.from({ length: 20 }, () => turn()));
    await nats.kill();
    await nats.restart();
    await Promise.all(turns.map((turnId) => hinted(turnId, 30_000)));
    await until(async () => (await backlog()) === 0, { what: 'an empty queue', timeoutMs: 40_000 });
    const counts = await Promise.all(both.map(async (app) => (await metricOf(app, 'turns_hinted_total')).hinted ?? 0));
    expect(counts[0]! + counts[1]!).toBeLessThanOrEqual(turns.length);
  });

  it('rests where rewards alone train, and leaves the turns to others', async () => {
    const resting = await start({ OPENCLAW_RL_RL_ALGORITHM: 'binary' });
    const readyz = `${await resting.getUrl()}/readyz`;
    await until(async () => (await fetch(readyz)).ok, { what: 'ready, with the bus up' });
    await expect((await fetch(readyz)).json()).resolves.toMatchObject({
      status: 'ok',
      judge: 'not asked with rl.algorithm binary',
    });
    const working = await start();
    const turns = await Promise.all(Array.from({ length: 6 }, () => turn()));
    await Promise.all(turns.map((turnId) => hinted(turnId)));
    await until(async () => (await metricOf(working, 'turns_hinted_total')).hinted === turns.length, {
      what: 'all by one',
    });
    await expect(metricOf(resting, 'votes_total')).resolves.toEqual({});
  });

  it('leaves alone what has its outcome already', async () => {
    const turnId = await turn();
    await bus.publish(TurnSettled, [turnId], {
      info: { turnId, kind: 'reason', reason: 'neutral', settledAt: Date.now() },
      head: {},
    });
    await start();
    await until(async () => (await backlog()) === 0, { what: 'an empty queue' });
    expect(await bus.read(TurnHinted, turnId)).toBeNull();
    expect(prm.chats('judge')).toHaveLength(0);
  });

  it('keeps conversations out of logs and metrics', async () => {
    const app = await start();
    await hinted(await turn());
    prm.set({ faults: ['entries_shifted'] });
    await hinted(await turn());
    const said = [...logged, await app.get(Telemetry).registry.metrics()].join('\n');
    expect(said).not.toMatch(/tea and coffee|use a list/);
    expect(decode(RESPONSE_IDS)).toContain(RESPONSE);
  });

  it('is on all engines of its pool, and does without one that is gone', async () => {
    const second = opened.add(await startEngineDouble({ model: 'prm', weightVersion: 'teacher' }));
    const env = {
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: '',
      OPENCLAW_RL_POOLS_PRM_ENGINES: `${prm.url},${second.url}`,
    };
    await start(env);
    const hosts = [prm, second].map(({ url }) => new URL(url).host);
    await until(() => logged.some((line) => hosts.every((host) => line.includes(host))), { what: 'both are found' });
    await second.close();
    for (const turnId of [await turn(), await turn()]) expect((await hinted(turnId)).info.reason).toBeUndefined();
  });

  it('takes in an engine of its pool that comes up later', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await start({
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: '',
      OPENCLAW_RL_POOLS_PRM_ENGINES: `${prm.url},${url}`,
    });
    const isTeacherAt = (host: string): boolean => logged.some((line) => line.includes(`${host} is the teacher`));
    await until(() => isTeacherAt(new URL(prm.url).host), { what: 'the first one is found' });
    opened.add(await startEngineDouble({ port, model: 'prm', weightVersion: 'teacher' }));
    await until(() => isTeacherAt(new URL(url).host), { what: 'the later one is found', timeoutMs: 60_000 });
  }, 90_000);

  it('is not asked on an engine of the policy with other weights than the gate’s, as long as there is another', async () => {
    const second = opened.add(await startEngineDouble({ weightVersion: '1-1' }));
    const bucket = await bus.bucket(BUCKETS.policy);
    const serves = (engineVersion: string) =>
      bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, version: 1, engineVersion }));
    const inRotation = async (engine: EngineDouble): Promise<boolean> => {
      const labels = `pool="teacher",engine="${new URL(engine.url).host}"`;
      return (await app.get(Telemetry).registry.metrics()).includes(`engine_in_rotation{${labels}} 1`);
    };
    policy.set({ weightVersion: '1-1' });
    await serves('1-1');
    const app = await start({
      OPENCLAW_RL_OPD_TEACHER: 'policy',
      OPENCLAW_RL_POOLS_POLICY_ENGINES: `${policy.url},${second.url}`,
      OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1',
    });
    try {
      await until(async () => (await inRotation(policy)) && (await inRotation(second)), {
        what: 'both are in rotation',
      });
      policy.set({ weightVersion: 'default' });
      await until(async () => !(await inRotation(policy)), { what: 'the one with old weights is out' });
      const asked = scoringCalls(policy).length;
      const turns = await Promise.all(Array.from({ length: 4 }, () => turn()));
      for (const turnId of turns) expect((await hinted(turnId)).info.reason).toBeUndefined();
      expect(scoringCalls(policy)).toHaveLength(asked);
      await serves('default');
      await until(async () => !(await inRotation(second)), { what: 'the other one is out' });
      second.set({ weightVersion: 'other' });
      policy.set({ weightVersion: 'other' });
      await until(async () => (await inRotation(policy)) && (await inRotation(second)), { what: 'never none is left' });
      expect((await hinted(await turn())).info.reason).toBeUndefined();
    } finally {
      await bucket.put(POLICY_KEY, JSON.stringify(INITIAL_POLICY_STATE));
    }
  });

  it('waits for a weight update where the policy’s engine is the teacher, and where it is not, does not', async () => {
    const update = { token: 't', requestId: 'r', asked: '', leaseIds: [], leaseMs: 60_000, startedAt: 1 };
    const gate = { state: 'updating' as const, until: Date.now() + 60_000, holder: 'a', update };
    const bucket = await bus.bucket(BUCKETS.policy);
    const setState = (state: PolicyState) => bucket.put(POLICY_KEY, JSON.stringify(state));
    try {
      const app = await start({ OPENCLAW_RL_OPD_TEACHER: 'policy' });
      const teacher = app.get(Teacher);
      await until(() => teacher.state === 'up', { what: 'the teacher is found' });
      const asked = scoringCalls(policy).length;
      await setState({ ...INITIAL_POLICY_STATE, gate });
      await until(() => teacher.pauseMs() > 0, { what: 'the teacher waits' });
      const turnId = await turn();
      expect(await isDrained(bus, 't')).toBe(true);
      expect(scoringCalls(policy)).toHaveLength(asked);
      await setState(INITIAL_POLICY_STATE);
      expect((await hinted(turnId)).info.reason).toBeUndefined();
      expect(scoringCalls(policy).length).toBeGreaterThan(asked);
      await app.close();

      await start();
      await setState({ ...INITIAL_POLICY_STATE, gate });
      expect((await hinted(await turn())).info.reason).toBeUndefined();
    } finally {
      await setState(INITIAL_POLICY_STATE);
    }
  });
});
