import type { Bus } from '@app/bus';
import { PolicyUpdated } from '@app/contracts';
import { answerRunning, commitUpdate, PolicyStore, type PolicyState } from '@app/pools';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import {
  connectBus,
  post,
  publishTurn,
  settledOf,
  startSubmitter,
  type HttpAnswer,
  type Submitter,
} from './submitter-harness';

/** Long enough for what is done in it, short enough to be waited for. */
const LEASE_MS = 1500;

describe('whoever dies in a weight update', () => {
  const opened = new Opened();
  let nats: NatsServer;
  let bus: Bus;
  let engine: EngineDouble;
  let door: Submitter;
  let names = 0;

  const request = (): { request_id: string } => ({ request_id: `r${(names += 1)}` });
  const begin = (more: Record<string, unknown> = {}): Promise<HttpAnswer> =>
    post(door.url, '/v1/policy/updates', { ...request(), trainer: 'a', lease_ms: LEASE_MS, ...more });
  const commit = (token: string): Promise<HttpAnswer> =>
    post(door.url, `/v1/policy/updates/${token}/commit`, { weights_path: `/w/${token}` });
  const state = (): Promise<PolicyState> => new PolicyStore(bus).read();
  const opens = (outcome: string) =>
    until(
      async () => {
        const { history = [], gate, unfinished } = await state();
        return gate.state === 'serving' && unfinished === undefined && history.at(-1)?.outcome === outcome;
      },
      { what: `the gate opens: ${outcome}`, timeoutMs: 20_000 },
    );
  const lease = async (): Promise<string> => {
    const turnId = `t${(names += 1)}`;
    await publishTurn(bus, turnId, 1);
    await until(() => settledOf(bus, turnId), { what: `${turnId} is settled` });
    return (await post(door.url, '/v1/samples/lease', { ...request(), lease_ms: LEASE_MS })).body.lease_id;
  };
  /** An update from begin to commit still works, and makes the next version. */
  const nextVersionIs = async (version: number): Promise<void> => {
    const { token } = (await begin()).body;
    expect(await commit(token)).toMatchObject({ status: 200, body: { policy_version: version } });
  };

  beforeEach(async () => {
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
    engine = opened.add(await startEngineDouble());
    door = opened.add(
      await startSubmitter(nats.url, {
        OPENCLAW_RL_SERVER_BASE_URL: engine.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_GATE_DRAIN_TIMEOUT_S: '30',
      }),
    );
  });
  afterEach(() => opened.close());

  it('a trainer while answers are let end: the gate opens, its batch waits, no version is skipped', async () => {
    engine.set({ pauseModes: [] });
    const lease_id = await lease();
    await answerRunning(bus, { running: 1, token: undefined });
    const begun = begin({ lease_ids: [lease_id] });
    await until(async () => (await state()).gate.state === 'draining', { what: 'the gate is closed' });
    await opens('expired');
    expect((await begun).status).toBe(409);
    expect(await state()).toMatchObject({ version: 0, acknowledged: 0 });
    expect((await state()).leases.some(({ inUpdate }) => inUpdate)).toBe(false);
  });

  it('a trainer while weights are changed, half of them in: the old version serves, its batch is handed out again', async () => {
    const lease_id = await lease();
    await begin({ lease_ids: [lease_id] });
    await opens('expired');
    const again = await until(
      async () => {
        const { body } = await post(door.url, '/v1/samples/lease', request());
        return body.lease_id === null ? null : body;
      },
      { what: 'the batch waits again' },
    );
    expect(again.samples).toHaveLength(1);
    await nextVersionIs(1);
  });

  it('a trainer after its weights are in: they are the next version, its batch is trained once', async () => {
    const lease_id = await lease();
    await begin({ lease_ids: [lease_id] });
    engine.set({ weightVersion: 'transferred' });
    await opens('recovered');
    expect(await state()).toMatchObject({ version: 1, engineVersion: 'transferred', acknowledged: 1, leases: [] });
    expect((await post(door.url, '/v1/samples/lease', request())).body.lease_id).toBeNull();
    await nextVersionIs(2);
  });

  it('NATS: the update goes on when it is back, and makes one version', async () => {
    const { token } = (await begin({ lease_ms: 30_000 })).body;
    await nats.kill();
    expect((await commit(token)).status).toBe(503);
    await nats.restart();
    const committed = await until(
      async () => {
        const answer = await commit(token);
        return answer.status === 200 ? answer : null;
      },
      { what: 'the commit', timeoutMs: 20_000 },
    );
    expect(committed.body).toMatchObject({ outcome: 'committed', policy_version: 1 });
    expect((await commit(token)).body).toEqual(committed.body);
    await nextVersionIs(2);
  });

  it('an engine in the middle of a transfer: the commit is refused, the gate opens, the next update finds it again', async () => {
    engine.set({ loadMs: 60_000 });
    // Long enough for a commit to begin on a busy machine.
    const { token } = (await begin({ lease_ms: 5000 })).body;
    const committing = commit(token);
    await until(() => engine.requests.some(({ path }) => path === '/update_weights_from_disk'), {
      what: 'the transfer',
    });
    const { port } = engine;
    await engine.close();
    expect(await committing).toMatchObject({ status: 502, body: { error: { code: 'engines_failed' } } });
    await opens('expired');
    engine = opened.add(await startEngineDouble({ port }));
    await nextVersionIs(1);
  });

  it('a replica of the door right after the commit: another one lets the engines go on, and tells of the version', async () => {
    const { token } = (await begin({ lease_ms: 30_000 })).body;
    expect(engine.requests.some(({ path }) => path === '/continue_generation')).toBe(false);
    // What the replica wrote as its last act.
    const view = { samples: [], seenUpTo: 0, streamCreatedAt: (await state()).streamCreatedAt ?? 1 };
    await new PolicyStore(bus).change((current, now) =>
      commitUpdate(current, { token, engineVersion: 'default', metrics: { loss: 1 } }, { now, view }),
    );
    await opens('committed');
    expect(engine.requests.some(({ path }) => path === '/continue_generation')).toBe(true);
    expect((await bus.read(PolicyUpdated, '1'))?.body.head).toEqual({ metrics: { loss: 1 } });
    await nextVersionIs(2);
  });
});
