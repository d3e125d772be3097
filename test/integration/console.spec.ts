import type { Bus } from '@app/bus';
import type { Learning, Now, SessionRow, TurnDetail, TurnRow, TurnsPage } from '@app/contracts';
import {
  BUCKETS,
  FeedbackGiven,
  PolicyAnswered,
  PolicyUpdated,
  SessionEnded,
  sessionKey,
  TurnJudged,
} from '@app/contracts';
import { INITIAL_POLICY_STATE, POLICY_KEY } from '@app/pools';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import { startGateway, type TestGateway } from '../support/start-gateway';
import {
  connectBus,
  publishArrived,
  publishCompleted,
  publishFollowed,
  publishHinted,
  publishJudged,
  settledOf,
  startSubmitter,
} from './submitter-harness';

const KEYS = {
  OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-chat',
  OPENCLAW_RL_CONSOLE_VIEWER_KEYS: 'sk-chat,sk-view',
  OPENCLAW_RL_CONSOLE_OPERATOR_KEYS: 'sk-operate',
};

describe('the console’s data', () => {
  const opened = new Opened();
  let nats: NatsServer;
  let engine: EngineDouble;
  let bus: Bus;
  let gateway: TestGateway;

  const env = (): Record<string, string> => ({
    NATS_URL: nats.url,
    OPENCLAW_RL_NATS_STORE_GB: '1',
    OPENCLAW_RL_SERVER_BASE_URL: engine.url,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
  });

  beforeAll(async () => {
    nats = opened.add(await startNatsServer());
    engine = opened.add(await startEngineDouble({}));
    bus = opened.add(await connectBus(nats.url));
    opened.add(
      await startSubmitter(nats.url, { OPENCLAW_RL_RECORDS_ENABLED: 'true', OPENCLAW_RL_RL_ALGORITHM: 'hybrid' }),
    );
    gateway = opened.add(await startGateway({ ...env(), ...KEYS }));
  });
  afterAll(() => opened.close());

  const ask = (path: string, key = 'sk-operate', init: RequestInit = {}, url = gateway.url): Promise<Response> =>
    fetch(`${url}/console/api/${path}`, { ...init, headers: { authorization: `Bearer ${key}` } });
  const read = async <Answer>(path: string, key?: string): Promise<Answer> => {
    const response = await ask(path, key);
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  const detailOf = async (turnId: string, key?: string): Promise<TurnDetail> =>
    (await read<{ turn: TurnDetail }>(`turns/${turnId}`, key)).turn;

  /** A judged and hinted turn that has become a sample. */
  const publishWhole = async (turnId: string, session = 'session'): Promise<void> => {
    await publishArrived(bus, turnId, { session });
    await publishCompleted(bus, turnId, { session });
    await publishArrived(bus, `${turnId}-next`, { session });
    await publishFollowed(bus, turnId);
    await publishJudged(bus, turnId, 1, `${turnId}-next`);
    await publishHinted(bus, turnId, [-0.3, -0.05]);
    await until(() => settledOf(bus, turnId), { what: `turn.settled of ${turnId}` });
  };

  test('shows a turn from its arrival to its sample, with every number of its tokens', async () => {
    await publishWhole('whole');
    const { turns } = await until(
      async () => {
        const page = await read<TurnsPage>('turns');
        return page.turns.some(({ turnId, fate }) => turnId === 'whole' && fate === 'sample') ? page : null;
      },
      { what: 'the sample in the list' },
    );
    expect(turns.find(({ turnId }) => turnId === 'whole')).toMatchObject({
      session: 'session',
      kind: 'main',
      // A judge of before votes stood in headers.
      votes: null,
      followed: true,
      score: 1,
      hint: 'accepted',
      signal: 'both',
      settledScore: 1,
    });
    const turn = await detailOf('whole');
    expect(turn.text).toBe('shown');
    expect(turn.messages).toEqual([{ role: 'user', content: 'question of whole' }]);
    expect(turn.response).toEqual({ role: 'assistant', content: 'answer of whole' });
    expect(turn.nextState).toEqual([{ role: 'user', content: 'next state in whole-next' }]);
    expect(turn.judge?.votes).toEqual([{ score: 1, text: 'vote on whole', millis: 5 }]);
    expect(turn.hint).toMatchObject({ text: 'Use a list.', teacher: 'teacher', selected: 0 });
    expect(turn.sample).toEqual({ reward: 1, rewardWeight: 1, teacherWeight: 1 });
    expect(turn.tokens).toEqual({
      ids: [4, 5],
      texts: null,
      logProbs: [-0.1, -0.25],
      teacherLogProbs: [-0.3, -0.05],
      advantages: [0.8, 1.2],
      mask: [1, 1],
      versions: [0, 0],
    });
  });

  test('gives a viewer the numbers and no word of anybody’s', async () => {
    await publishWhole('seen');
    const response = await ask('turns/seen', 'sk-view');
    const text = await response.text();
    expect(text).not.toMatch(/question of|answer of|vote on|hint on|Use a list|next state|raw:/);
    const { turn } = JSON.parse(text) as { turn: TurnDetail };
    expect(turn).toMatchObject({ text: 'role', messages: null, response: null, nextState: null });
    expect(turn.tokens).toMatchObject({ ids: null, texts: null, logProbs: [-0.1, -0.25] });
    expect(turn.judge?.votes).toEqual([{ score: 1, text: null, millis: 5 }]);
  });

  test('lets a viewer change nothing', async () => {
    expect((await ask('turns/seen/feedback', 'sk-view', { method: 'POST', body: '{"score": 1}' })).status).toBe(403);
    expect((await ask('sessions/session', 'sk-chat', { method: 'DELETE' })).status).toBe(403);
  });

  test.each([
    ['nobody', 'x'],
    ['a key of the console that is none', 'sk-other'],
  ])('lets %s at no data', async (_, key) => {
    expect(await read('role', key)).toEqual({ role: null, refusal: expect.stringContaining('console.operator_keys') });
    for (const path of ['now', 'gateway', 'turns', 'turns/seen', 'sessions', 'learning', 'live']) {
      expect((await ask(path, key)).status).toBe(401);
    }
  });

  test('knows the role of a key, a chat’s included', async () => {
    expect(await read('role', 'sk-chat')).toEqual({ role: 'viewer', refusal: null });
    expect(await read('role', 'sk-operate')).toEqual({ role: 'operator', refusal: null });
  });

  test('serves its own machine without any key, pages of other sites excepted, and not where chats need one', async () => {
    const open = opened.add(await startGateway(env()));
    expect(await (await fetch(`${open.url}/console/api/role`)).json()).toMatchObject({ role: 'operator' });
    const elsewhere = { headers: { origin: 'https://elsewhere.example' } };
    expect((await fetch(`${open.url}/console/api/role`, elsewhere)).status).toBe(403);
    const keyed = opened.add(await startGateway({ ...env(), OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-chat' }));
    expect((await ask('now', 'sk-chat', {}, keyed.url)).status).toBe(401);
  });

  test('is not there where it is switched off', async () => {
    const off = opened.add(await startGateway({ ...env(), OPENCLAW_RL_CONSOLE_ENABLED: 'false' }));
    for (const path of ['', '/api/role']) expect((await fetch(`${off.url}/console${path}`)).status).toBe(404);
  });

  test('shows no text where nothing is recorded', async () => {
    const silent = opened.add(await startNatsServer());
    const other = opened.add(await connectBus(silent.url));
    opened.add(await startSubmitter(silent.url));
    const quiet = opened.add(await startGateway({ ...env(), ...KEYS, NATS_URL: silent.url }));
    await publishArrived(other, 'quiet');
    await publishCompleted(other, 'quiet');
    const { turn } = (await (await ask('turns/quiet', 'sk-operate', {}, quiet.url)).json()) as { turn: TurnDetail };
    expect(turn).toMatchObject({ text: 'not_recorded', messages: null, response: null, sessionId: null });
  });

  test('filters and pages the list', async () => {
    for (const i of [0, 1, 2]) await publishArrived(bus, `page-${i}`, { session: 'paged', arrivedAt: 1_000 + i });
    const first = await until(
      async () => {
        const page = await read<TurnsPage>('turns?session=paged&limit=2&fate=open');
        return page.next === null ? null : page;
      },
      { what: 'two pages' },
    );
    expect(first.turns.map(({ turnId }) => turnId)).toEqual(['page-2', 'page-1']);
    const second = await read<TurnsPage>(`turns?session=paged&limit=2&fate=open&after=${String(first.next)}`);
    expect(second).toMatchObject({ turns: [{ turnId: 'page-0' }], next: null });
    expect((await read<TurnsPage>('turns?session=paged&fate=sample')).turns).toEqual([]);
    expect((await ask('turns?fate=lost')).status).toBe(400);
  });

  test('knows which votes were cast, from the headers alone', async () => {
    await publishArrived(bus, 'voted');
    await bus.publish(TurnJudged, ['voted'], {
      info: { turnId: 'voted', session: 'votes', score: 1, judgedAt: Date.now(), votes: [1, null, 1] },
      head: { judgeModel: 'judge', votes: [] },
    });
    const row = await until(async () => (await read<TurnsPage>('turns?session=votes')).turns[0] ?? null, {
      what: 'the turn with votes',
    });
    expect(row).toMatchObject({ votes: [1, null, 1], score: 1 });
    expect((await read<Now>('now')).votesByMinute.at(-1)).toBeGreaterThanOrEqual(3);
  });

  test('shows sessions, how they ended, and removes one for good', async () => {
    await publishArrived(bus, 'of-gone', { session: 'gone' });
    await publishCompleted(bus, 'of-gone', { session: 'gone' });
    await bus.publish(SessionEnded, ['gone', '1'], {
      info: { session: 'gone', incarnation: 1, cause: 'closed', endedAt: Date.now() + 1000, outcome: 0.5 },
      head: { withoutNextState: [], lost: [] },
    });
    const find = async (): Promise<SessionRow | null> =>
      (await read<{ sessions: SessionRow[] }>('sessions')).sessions.find(({ session }) => session === 'gone') ?? null;
    const hasEnded = async (): Promise<SessionRow | null> => {
      const row = await find();
      return row?.ended === 'closed' ? row : null;
    };
    expect(await until(hasEnded, { what: 'the ended session' })).toMatchObject({ turns: 1, outcome: 0.5 });
    expect((await ask('sessions/gone', 'sk-operate', { method: 'DELETE' })).status).toBe(200);
    expect(await find()).toBeNull();
    expect(await detailOf('of-gone')).toBeNull();
    expect((await ask('sessions/never', 'sk-operate', { method: 'DELETE' })).status).toBe(404);
  });

  test('finds a session by what its client calls it', async () => {
    const session = sessionKey('scope', 'my chat');
    await publishArrived(bus, 'of-named', { session });
    const find = async (name: string): Promise<string[]> => {
      const { sessions } = await read<{ sessions: SessionRow[] }>(`sessions?name=${encodeURIComponent(name)}`);
      return sessions.map((row) => row.session);
    };
    await until(async () => (await find(session)).length > 0, { what: 'the session by its key' });
    expect(await find('my chat')).toEqual([session]);
    expect(await find('my')).toEqual([]);
    expect((await ask('sessions?name=')).status).toBe(400);
  });

  test('takes a person’s word on any turn', async () => {
    await publishArrived(bus, 'rated', { session: 'rated' });
    const rating = { method: 'POST', body: JSON.stringify({ score: -1, text: 'not like this' }) };
    const response = await ask('turns/rated/feedback', 'sk-operate', rating);
    expect(response.status).toBe(202);
    const answer = (await response.json()) as { feedback_id: string; status: string };
    expect(answer.status).toBe('accepted');
    const feedbackId = answer.feedback_id;
    expect((await bus.read(FeedbackGiven, 'rated', feedbackId))?.info).toMatchObject({ scope: 'scope', score: -1 });
    const isKnown = async (): Promise<TurnDetail | null> => {
      const turn = await detailOf('rated');
      return turn.feedback.length > 0 ? turn : null;
    };
    const turn = await until(isKnown, { what: 'the feedback in the turn' });
    expect(turn.feedback).toMatchObject([{ score: -1, text: 'not like this' }]);
    expect(turn.row.feedback).toBe(-1);
    expect((await ask('turns/never/feedback', 'sk-operate', rating)).status).toBe(404);
  });

  test('shows answers to held-out prompts to operators alone, and removes them for good', async () => {
    const answers = [{ prompt: 'How many?', before: '7', after: '8' }];
    const [info, head] = [{ version: 2, answeredAt: Date.now() }, { answers }];
    await bus.publish(PolicyAnswered, ['2'], { info, head });
    expect((await read<Learning>('learning')).heldOut).toEqual([{ ...info, answers }]);
    expect((await read<Learning>('learning', 'sk-view')).heldOut).toBeNull();
    expect((await ask('answers', 'sk-view', { method: 'DELETE' })).status).toBe(403);
    const removed = await ask('answers', 'sk-operate', { method: 'DELETE' });
    expect([removed.status, await removed.json()]).toEqual([200, { versions: 1 }]);
    expect((await read<Learning>('learning')).heldOut).toEqual([]);
    expect(await bus.read(PolicyAnswered, '2')).toBeNull();
  });

  test('shows what each policy version came to', async () => {
    const before = await read<Learning>('learning');
    expect(before.versions).toEqual([expect.objectContaining({ version: 0, meanReward: 1, staleness: 0 })]);
    expect(before.updates).toEqual([]);
  });

  test('shows what a trainer has said of its update', async () => {
    const metrics = { kl: 0.01, mean_score: 0.5 };
    await bus.publish(PolicyUpdated, ['1'], {
      info: { version: 1, outcome: 'committed', trainer: 't', startedAt: 1, endedAt: 2, samples: 16 },
      head: { metrics },
    });
    const bucket = await bus.bucket(BUCKETS.policy);
    await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, version: 1 }));
    const readUpdates = async (): Promise<Learning['updates'] | null> => {
      const { updates } = await read<Learning>('learning');
      return updates.length > 0 ? updates : null;
    };
    expect(await until(readUpdates, { what: 'the update' })).toEqual([
      { version: 1, outcome: 'committed', trainer: 't', startedAt: 1, endedAt: 2, samples: 16, metrics },
    ]);
  });

  test('tells open consoles of a turn while it goes on', async () => {
    const stop = new AbortController();
    const response = await ask('live', 'sk-view', { signal: stop.signal });
    expect(response.headers.get('content-type')).toMatch('text/event-stream');
    let told = '';
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const piece of response.body!) told += decoder.decode(piece, { stream: true });
    })().catch(() => undefined);
    await until(() => told.includes('event: now\n'), { what: 'the state of things' });
    await publishArrived(bus, 'live-turn', { session: 'live' });
    await publishHinted(bus, 'live-turn', 'no_hint');
    const rowOf = (): TurnRow | undefined =>
      [...told.matchAll(/event: turns\ndata: (.*)\n\n/g)]
        .flatMap(([, json]) => (JSON.parse(json!) as { turns: TurnRow[] }).turns)
        .findLast(({ turnId }) => turnId === 'live-turn');
    await until(() => rowOf()?.hint === 'no_hint', { what: 'the hint, told' });
    expect((await ask('sessions/live', 'sk-operate', { method: 'DELETE' })).status).toBe(200);
    await until(() => told.includes('"gone":["live-turn"]'), { what: 'that the turn is gone, told' });
    expect(told).not.toMatch(/question of|answer of/);
    stop.abort();
    await reading;
  });

  test('is closed by the gateway’s end, and does not keep it', async () => {
    const other = await startGateway({ ...env(), ...KEYS });
    const response = await ask('live', 'sk-view', {}, other.url);
    const reading = response.text();
    await other.close();
    expect(await reading).toContain('event: gateway');
  });
});
