import { Bus } from '@app/bus';
import { BUCKETS, TurnSettled } from '@app/contracts';
import { INITIAL_POLICY_STATE, POLICY_KEY, type PolicyState } from '@app/pools';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { connectBus } from './submitter-harness';
import { startGateway, type TestGateway } from '../support/start-gateway';

const SESSIONS = Array.from({ length: 24 }, (_, i) => `session-${i}`);

describe('several engines of the policy', () => {
  let nats: NatsServer;
  let bus: Bus;
  let engines: EngineDouble[];
  let gateway: TestGateway;

  const start = async (env: Record<string, string> = {}): Promise<TestGateway> => {
    gateway = await startGateway({
      OPENCLAW_RL_NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_POOLS_POLICY_ENGINES: engines.map(({ url }) => url).join(','),
      OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1',
      OPENCLAW_RL_POOLS_EJECT_S: '0.2',
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      ...env,
    });
    return gateway;
  };
  const ask = async (headers: Record<string, string>, content = 'Hello'): Promise<Response> =>
    gateway.post('/v1/chat/completions', { messages: [{ role: 'user', content }] }, headers);
  const askFor = (session: string): Promise<Response> => ask({ 'x-session-id': session });
  /** Which engine has served a chat. */
  const served = async (chat: () => Promise<Response>): Promise<EngineDouble | undefined> => {
    const before = engines.map((engine) => engine.chats().length);
    expect((await chat()).status).toBe(200);
    return engines.find((engine, i) => engine.chats().length > before[i]!);
  };
  const readiness = async (): Promise<any> => (await fetch(`${gateway.url}/readyz`)).json();
  const conditions = async (): Promise<string[]> => {
    const shown: { condition: string; in_rotation: boolean }[] = (await readiness()).engines ?? [];
    return shown.map(({ condition, in_rotation }) => `${condition} ${in_rotation ? 'in' : 'out'}`);
  };
  const becomes = (...expected: string[]) =>
    until(async () => JSON.stringify(await conditions()) === JSON.stringify(expected), {
      what: `the engines are ${expected.join(', ')}`,
      timeoutMs: 10_000,
    });
  const metric = async (line: string): Promise<boolean> =>
    (await (await fetch(`${gateway.url}/metrics`)).text()).split('\n').includes(line);
  const hostOf = ({ url }: EngineDouble): string => new URL(url).host;
  const setState = async (state: Partial<PolicyState>): Promise<void> => {
    const bucket = await bus.bucket(BUCKETS.policy);
    await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, ...state }));
  };

  beforeEach(async () => {
    nats = await startNatsServer();
    bus = await connectBus(nats.url);
    engines = await Promise.all([startEngineDouble(), startEngineDouble()]);
  });
  afterEach(async () => {
    await gateway.close();
    await bus.close();
    await Promise.all(engines.map((engine) => engine.close()));
    await nats.stop();
  });

  it('are looked at as often as pools.check_every_s says', async () => {
    await start({ OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.05' });
    const looks = (): number[] =>
      engines.map(({ requests }) => requests.filter(({ path }) => path === '/health').length);
    await until(() => Math.min(...looks()) >= 40, { what: 'forty looks at each engine', timeoutMs: 20_000 });
  });

  it('keep a session on one engine in every replica, and share the sessions out', async () => {
    await start();
    const chosen = new Map<string, EngineDouble | undefined>();
    for (const session of SESSIONS) chosen.set(session, await served(() => askFor(session)));
    expect(new Set(chosen.values()).size).toBe(2);
    for (const session of SESSIONS.slice(0, 6)) expect(await served(() => askFor(session))).toBe(chosen.get(session));
    await gateway.close();
    await start();
    for (const session of SESSIONS.slice(6, 12)) expect(await served(() => askFor(session))).toBe(chosen.get(session));
  });

  it('keep a conversation without a session’s name on one engine, by what it begins with', async () => {
    await start();
    const turn = (first: string, more: number) =>
      gateway.post('/v1/chat/completions', {
        messages: [
          { role: 'system', content: `It is ${more} o'clock.` },
          { role: 'user', content: first },
          ...Array.from({ length: more }, (_, i) => ({ role: i % 2 ? 'user' : 'assistant', content: `${i}` })),
        ],
      });
    const chosen = new Set<unknown>();
    for (const first of SESSIONS.slice(0, 12)) {
      const engine = await served(() => turn(first, 0));
      expect(await served(() => turn(first, 2))).toBe(engine);
      expect(await served(() => turn(first, 4))).toBe(engine);
      chosen.add(engine);
    }
    expect(chosen.size).toBe(2);
  });

  it('are captured each by its own route', async () => {
    engines[1]!.set({ dialect: 'vllm' });
    await start();
    const fieldsAt = (engine: EngineDouble) => Object.keys(engine.chats().at(-1)?.body ?? {});
    for (const session of SESSIONS.slice(0, 12)) await askFor(session);
    expect(fieldsAt(engines[0]!)).toContain('return_output_ids_in_sglext');
    expect(fieldsAt(engines[1]!)).toContain('return_token_ids');
    expect(fieldsAt(engines[1]!)).not.toContain('return_output_ids_in_sglext');
  });

  it('are asked again for their route when they come back, though nobody has missed them', async () => {
    engines[0]!.set({ sglext: false });
    await start();
    const isByText = (is: 0 | 1) =>
      until(() => metric(`openclaw_rl_capture_route{route="text"} ${is}`), {
        what: `an engine by text: ${is}`,
        timeoutMs: 10_000,
      });
    await isByText(1);
    const { port, url } = engines[0]!;
    await engines[0]!.close();
    await until(() => metric(`openclaw_rl_engine_in_rotation{pool="policy",engine="${new URL(url).host}"} 0`), {
      what: 'an engine out of rotation',
      timeoutMs: 10_000,
    });
    engines[0] = await startEngineDouble({ port });
    await isByText(0);
  });

  it('stand in for one that dies, without a failed chat; its sessions come back with it', async () => {
    await start();
    const session = await firstOn(0);
    const { port, url } = engines[0]!;
    await engines[0]!.close();
    for (let i = 0; i < 4; i += 1) expect((await askFor(session)).status).toBe(200);
    await becomes('sick out', 'ok in');
    const labels = `pool="policy",engine="${new URL(url).host}"`;
    expect(await metric(`openclaw_rl_engine_in_rotation{${labels}} 0`)).toBe(true);
    expect(await metric(`openclaw_rl_engine_ejections_total{${labels},condition="sick"} 1`)).toBe(true);
    engines[0] = await startEngineDouble({ port });
    await becomes('ok in', 'ok in');
    expect(await served(() => askFor(session))).toBe(engines[0]);
  });

  it('rest when their chats fail again and again, though they seem well, and not the last one', async () => {
    await start();
    const sessions = [await firstOn(0), await firstOn(1)];
    const fails = { status: 500, message: 'CUDA error' };
    engines[0]!.script(() => fails);
    for (let i = 0; i < 2; i += 1) expect((await askFor(sessions[0]!)).status).toBe(500);
    // Asked twice, with our fields and without: it is the chat that counts.
    expect(await conditions()).toEqual(['ok in', 'ok in']);
    expect((await askFor(sessions[0]!)).status).toBe(500);
    expect((await conditions())[0]).toBe('sick out');
    engines[1]!.script(() => fails);
    for (let i = 0; i < 3; i += 1) await askFor(sessions[1]!);
    expect((await conditions()).filter((each) => each.endsWith('in')).length).toBeGreaterThan(0);
    expect((await askFor(sessions[1]!)).status).toBe(500);
  });

  it('are out of rotation with other weights than the gate’s, until they have these, but never all', async () => {
    await setState({ version: 1, engineVersion: '1-1' });
    for (const engine of engines) engine.set({ weightVersion: '1-1' });
    await start();
    const session = await firstOn(0);
    engines[0]!.set({ weightVersion: 'default' });
    await becomes('stale out', 'ok in');
    expect(await served(() => askFor(session))).toBe(engines[1]);
    expect((await readiness()).engines[0]).toMatchObject({ weights: 'default', expected_weights: '1-1' });
    expect((await readiness()).status).toBe('degraded');
    const labels = `pool="policy",engine="${hostOf(engines[0]!)}",condition="stale"`;
    expect(await metric(`openclaw_rl_engine_condition{${labels}} 1`)).toBe(true);
    engines[1]!.set({ weightVersion: 'default' });
    await becomes('stale in', 'stale in');
    engines[0]!.set({ weightVersion: '1-1' });
    await becomes('ok in', 'stale out');
    expect(await served(() => askFor(session))).toBe(engines[0]);
  });

  it('are not judged by their weights while these are changed', async () => {
    await setState({ version: 1, engineVersion: '1-1' });
    for (const engine of engines) engine.set({ weightVersion: '1-1' });
    await start();
    await becomes('ok in', 'ok in');
    const update = { token: 't', requestId: 'r', asked: '', leaseIds: [], leaseMs: 60_000, startedAt: Date.now() };
    const gate = { state: 'updating' as const, until: Date.now() + 60_000, holder: 'a', update };
    await setState({ version: 1, engineVersion: '1-1', gate });
    await until(async () => (await readiness()).gate === 'closed', { what: 'the gate is closed' });
    for (const engine of engines) engine.set({ weightVersion: '2-2' });
    const seen = engines[0]!.requests.length;
    await setState({ version: 2, engineVersion: '2-2' });
    await until(() => engines[0]!.requests.length > seen, { what: 'a look at the engine' });
    expect(await conditions()).toEqual(['ok in', 'ok in']);
  });

  it('behind SGLang’s router are told their sessions’ keys, and are watched behind it', async () => {
    await setState({ version: 1, engineVersion: '1-1' });
    const router = await startEngineDouble();
    try {
      engines[1]!.set({ weightVersion: '1-1' });
      await start({ OPENCLAW_RL_SERVER_BASE_URL: router.url, OPENCLAW_RL_POOLS_POLICY_ROUTER: 'true' });
      for (const session of ['s1', 's1', 's2']) await askFor(session);
      const keys = router.chats().map(({ headers }) => headers['x-smg-routing-key']);
      expect(keys).toEqual([keys[0], keys[0], keys[2]]);
      expect(new Set(keys).size).toBe(2);
      expect(engines.flatMap((engine) => engine.chats())).toEqual([]);
      await becomes('stale in', 'ok in');
    } finally {
      await router.close();
    }
  });

  /** A session of one of the engines. */
  const firstOn = async (place: number): Promise<string> => {
    for (const session of SESSIONS) if ((await served(() => askFor(session))) === engines[place]) return session;
    throw new TypeError('all sessions are on one engine');
  };
});

describe('the only engine', () => {
  it('with old weights after a restart serves on, is shown, and what it makes is not trained on', async () => {
    const nats = await startNatsServer();
    const bus = await connectBus(nats.url);
    const engine = await startEngineDouble({ weightVersion: '1-1' });
    const bucket = await bus.bucket(BUCKETS.policy);
    await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, version: 1, engineVersion: '1-1' }));
    const gateway = await startGateway({
      OPENCLAW_RL_NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1',
    });
    const QUESTION = { messages: [{ role: 'user', content: 'Hello' }] };
    const ask = () => gateway.post('/v1/chat/completions', QUESTION);
    const readiness = async (): Promise<any> => (await fetch(`${gateway.url}/readyz`)).json();
    try {
      await ask();
      expect(await readiness()).toMatchObject({ status: 'ok' });
      engine.set({ weightVersion: 'default' });
      const shown = { condition: 'stale', in_rotation: true, weights: 'default', expected_weights: '1-1' };
      await until(async () => (await readiness()).engines?.[0]?.condition === 'stale', { what: 'it is seen' });
      expect(await readiness()).toMatchObject({ status: 'degraded', engines: [shown] });
      expect((await readiness()).engines[0].remedy).toMatch(/commit with \{"engine_version": "default"\}$/);
      const answer = await ask();
      expect(answer.status).toBe(200);
      const turnId = answer.headers.get('x-rl-turn-id')!;
      const settled = await until(() => bus.read(TurnSettled, turnId), { what: 'the turn is settled' });
      expect(settled.info).toMatchObject({ reason: 'incomplete', detail: 'other_weights' });
      const stream = await gateway.post('/v1/chat/completions', { ...QUESTION, stream: true });
      await stream.text();
      const streamed = stream.headers.get('x-rl-turn-id')!;
      const outcome = await until(() => bus.read(TurnSettled, streamed), { what: 'the streamed turn is settled' });
      expect(outcome.info).toMatchObject({ reason: 'incomplete', detail: 'other_weights' });
    } finally {
      await gateway.close();
      await engine.close();
      await bus.close();
      await nats.stop();
    }
  });

  it('that fails again and again is shown as sick until it is well, and serves all the while', async () => {
    const nats = await startNatsServer();
    const engine = await startEngineDouble();
    const gateway = await startGateway({
      OPENCLAW_RL_NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1',
      OPENCLAW_RL_POOLS_EJECT_S: '0.5',
      OPENCLAW_RL_POOLS_EJECT_FAILURES: '2',
    });
    const ask = () => gateway.post('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] });
    const readiness = async (): Promise<any> => (await fetch(`${gateway.url}/readyz`)).json();
    try {
      const fails = { status: 500, message: 'CUDA error' };
      // Each chat is asked for with our fields, and once more without.
      engine.script(fails, fails, fails, fails);
      for (let i = 0; i < 2; i += 1) expect((await ask()).status).toBe(500);
      expect(await readiness()).toMatchObject({
        status: 'degraded',
        engines: [{ condition: 'sick', in_rotation: true }],
      });
      await until(async () => (await readiness()).status === 'ok', { what: 'it is well again' });
      expect((await ask()).status).toBe(200);
    } finally {
      await gateway.close();
      await engine.close();
      await nats.stop();
    }
  });
});
