import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus } from '@app/bus';
import { BUCKETS, TRACE_HEADER, TurnCompleted, TurnFollowed, TurnJudged, TurnSettled } from '@app/contracts';
import { INITIAL_POLICY_STATE, POLICY_KEY, PolicyWatch } from '@app/pools';
import {
  freePort,
  startEngineDouble,
  startNatsServer,
  startOtlpReceiver,
  until,
  type EngineDouble,
  type NatsServer,
  type OtlpReceiver,
  type ReceivedSpan,
  type SeenRequest,
} from '@app/testing';
import { Gate } from '../../apps/gateway/src/gate/gate';
import { OpdTeacherModule } from '../../apps/opd-teacher/src/opd-teacher.module';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { TrainerModule } from '../../apps/trainer/src/trainer.module';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { OpenClawClient } from '../support/openclaw-client';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { rootsOf, spanTree } from '../support/span-tree';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { TrainerClient } from '../support/trainer-client';
import { metricOf, startWorker } from '../support/worker';
import { connectBus, startSubmitter } from './submitter-harness';

/** On a machine that has other things to do. */
const PATIENCE_MS = 40_000;

const CLIENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const CLIENT_HEADERS = { traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-01`, tracestate: 'vendor=client' };
const HINT = 'Answer with a list of points, and with no table.';
const KEY = 'sk-secret-key-of-a-user';
const SAID = ['compare tea and coffee', 'no, that is wrong: use a list, not a table', 'thanks, great'] as const;

/** The double's judge: a hint where the person corrects the answer. */
const judgeRule = ({ role, body, lastText }: SeenRequest) => {
  const isCorrected = lastText.slice(lastText.lastIndexOf('<next_state')).includes(SAID[1]);
  const isHintAsked = role === 'judge' && JSON.stringify(body).includes('"name":"hint"');
  if (!isHintAsked || !isCorrected) return undefined;
  return { to: 'judge' as const, content: JSON.stringify({ decision: 1, hint: HINT }) };
};

const TREE_OF_TURN = [
  'gateway chat',
  '  gateway publish turn.arrived',
  '    session-tracker process turn.arrived',
  '  gateway publish turn.completed',
  '    session-tracker process turn.completed',
  '  gateway upstream',
];

const TREE_OF_HINDSIGHT = [
  'session-tracker follow turn',
  '  session-tracker publish turn.followed',
  '    opd-teacher process turn.followed',
  '      opd-teacher publish turn.hinted',
  '        sample-submitter process turn.hinted',
  '      opd-teacher score with the hint',
  '      opd-teacher vote',
  '    prm-judge process turn.followed',
  '      prm-judge publish turn.judged',
  '        sample-submitter process turn.judged',
  '      prm-judge vote',
];

describe('tracing', () => {
  jest.setTimeout(4 * PATIENCE_MS);
  const opened = new Opened();
  const logged: string[] = [];
  let nats: NatsServer;
  let bus: Bus;
  let policy: EngineDouble;
  let prm: EngineDouble;
  let collector: OtlpReceiver;

  const envOf = (more: Record<string, string>): Record<string, string> => ({
    OPENCLAW_RL_NATS_URL: nats.url,
    OPENCLAW_RL_NATS_STORE_GB: '1',
    OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
    OPENCLAW_RL_SERVER_BASE_URL: policy.url,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
    OPENCLAW_RL_SERVER_TEMPERATURE: '1',
    OPENCLAW_RL_SERVER_JUDGE_BASE_URL: prm.url,
    OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    ...more,
  });

  const traced = (more: Record<string, string> = {}): Record<string, string> => ({
    OPENCLAW_RL_TRACING_ENABLED: 'true',
    OPENCLAW_RL_TRACING_ENDPOINT: collector.url,
    ...more,
  });

  /** It knows the policy's version and how its engine gives token ids: its first turns can be trained on. */
  const isWhole = async ({ app, url }: TestGateway): Promise<boolean> => {
    const { status, route } = (await (await fetch(`${url}/readyz`)).json()) as Record<string, string>;
    return status === 'ok' && route === 'sglext' && app.get(PolicyWatch).isKnown;
  };

  const startGatewayWith = async (more: Record<string, string>): Promise<TestGateway> => {
    const gateway = opened.add(await startGateway(envOf({ OPENCLAW_RL_GATEWAY_API_KEYS: KEY, ...more })));
    await until(() => isWhole(gateway), { what: 'a gateway that knows all', timeoutMs: PATIENCE_MS });
    return gateway;
  };

  /** Everything behind the gateway, in this process. */
  const startOthers = async (
    more: Record<string, string>,
  ): Promise<{ judge: NestFastifyApplication; door: string }> => {
    const settings = settingsFrom(envOf(more));
    opened.add(await startWorker(SessionTrackerModule.forSettings(settings), logged));
    const judge = opened.add(await startWorker(PrmJudgeModule.forSettings(settings), logged));
    opened.add(await startWorker(OpdTeacherModule.forSettings(settings), logged));
    const submitter = opened.add(await startSubmitter(nats.url, envOf(more)));
    return { judge, door: submitter.url };
  };

  const clientOf = ({ url }: TestGateway): OpenClawClient =>
    new OpenClawClient(url, 'session-of-a-user', { headers: { authorization: `Bearer ${KEY}` } });

  const settled = (turnId: string) =>
    until(async () => (await bus.read(TurnSettled, turnId))?.info, {
      what: `turn.settled of ${turnId}`,
      timeoutMs: PATIENCE_MS,
    });

  /** Expects it once all spans have come. */
  const eventually = async (read: () => unknown, expected: unknown): Promise<void> => {
    const options = { what: 'the spans', timeoutMs: PATIENCE_MS };
    await until(() => isDeepStrictEqual(read(), expected), options).catch(() => undefined);
    expect(read()).toEqual(expected);
  };

  const traceOf = (turnId: string): string => turnId.replaceAll('-', '');

  /** Work that came too early and is done later stands in no expectation. */
  const spans = (): ReceivedSpan[] =>
    collector.spans.filter(({ attributes }) => attributes['openclaw_rl.ended_by'] !== 'NotYetError');

  const named = (name: string, app?: string): ReceivedSpan[] =>
    spans().filter((span) => span.name === name && (app === undefined || span.app === app));

  const ofTurn = (turnId: string): ReceivedSpan[] => spans().filter(({ traceId }) => traceId === traceOf(turnId));

  const chatOf = (turnId: string): ReceivedSpan => ofTurn(turnId).find(({ name }) => name === 'chat')!;

  /** What became of a turn: the tree in which it was followed. */
  const hindsightOf = (turnId: string): ReceivedSpan[] => {
    const follow = named('follow turn').find(({ attributes }) => attributes['openclaw_rl.turn.id'] === turnId);
    return spans().filter(({ traceId }) => traceId === follow?.traceId);
  };

  const headerOf = async (definition: typeof TurnCompleted | typeof TurnFollowed, turnId: string) => {
    const { jsm } = bus.connection.current();
    const message = await jsm.streams.getMessage(definition.stream, { last_by_subj: definition.subject(turnId) });
    return message?.header.get(TRACE_HEADER);
  };

  beforeEach(async () => {
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
    policy = opened.add(await startEngineDouble({ returnOriginalLogprob: true, weightVersion: 'policy' }));
    prm = opened.add(await startEngineDouble({ weightVersion: 'teacher' }));
    prm.script(judgeRule);
    collector = opened.add(await startOtlpReceiver());
    logged.length = 0;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await opened.close();
  });

  describe('of a conversation', () => {
    let turns: string[];
    let answers: string[];
    let door: string;

    beforeEach(async () => {
      ({ door } = await startOthers(traced()));
      const client = clientOf(await startGatewayWith(traced()));
      const served = [await client.say(SAID[0], CLIENT_HEADERS), await client.say(SAID[1], CLIENT_HEADERS)];
      turns = served.map(({ turnId }) => turnId);
      answers = served.map(({ text }) => text);
      expect(await settled(turns[0]!)).toMatchObject({ kind: 'sample', signal: 'both' });
    });

    it('has one tree a turn, named by its id, with the client’s own trace linked', async () => {
      for (const turnId of turns) {
        await eventually(() => spanTree(ofTurn(turnId)), TREE_OF_TURN);
        expect(rootsOf(ofTurn(turnId))).toHaveLength(1);
        expect(chatOf(turnId)).toMatchObject({ parentSpanId: null, kind: 2, links: [CLIENT], isError: false });
      }
      const chat = chatOf(turns[0]!);
      expect(chat.attributes).toEqual({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'openclaw-rl',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
        'openclaw_rl.turn.id': turns[0],
        'openclaw_rl.turn.kind': 'main',
        'openclaw_rl.policy.version': 0,
        'openclaw_rl.capture.route': 'sglext',
      });
      const upstream = ofTurn(turns[0]!).find(({ name }) => name === 'upstream')!;
      expect(upstream).toMatchObject({ kind: 3, events: ['first byte'] });
      expect(upstream.attributes['server.address']).toBe(new URL(policy.url).host);
      expect(upstream.startedAt).toBeGreaterThanOrEqual(chat.startedAt);
      expect(upstream.endedAt).toBeLessThanOrEqual(chat.endedAt);
      // The engine's spans, if it makes any, are part of the turn's tree.
      const [asked] = policy.requests.filter(({ path, isProbe }) => path.endsWith('/chat/completions') && !isProbe);
      expect(asked?.headers.traceparent).toBe(`00-${upstream.traceId}-${upstream.spanId}-01`);
      expect(asked?.headers.tracestate).toBeUndefined();
    });

    it('has what became of a turn in a tree of its own, linked to where it was served', async () => {
      const [turnId = '', nextTurnId = ''] = turns;
      const withoutOutcome = () => {
        const outcome = new Set(['settle turn', 'publish turn.settled']);
        return spanTree(hindsightOf(turnId).filter(({ name }) => !outcome.has(name)));
      };
      await eventually(withoutOutcome, TREE_OF_HINDSIGHT);
      const { traceId, spanId } = chatOf(turnId);
      for (const app of ['prm-judge', 'opd-teacher', 'session-tracker', 'sample-submitter']) {
        const first = hindsightOf(turnId).filter((span) => span.app === app && /^(process|follow)/.test(span.name));
        expect(first.length).toBeGreaterThan(0);
        for (const span of first) expect(span.links).toContainEqual({ traceId, spanId });
      }
      // Who caused it: the message that brought the two together, in the tree of either.
      const [follow] = named('follow turn');
      const causes = [...ofTurn(turnId), ...ofTurn(nextTurnId)].filter(({ app }) => app === 'session-tracker');
      expect(causes.map((span) => span.spanId)).toContain(follow?.links[1]?.spanId);
      const judge = named('process turn.followed', 'prm-judge')[0];
      expect(judge).toMatchObject({ kind: 5, attributes: { 'openclaw_rl.score': -1, 'openclaw_rl.deliveries': 1 } });
      const half = hindsightOf(turnId).find(({ name }) => name === 'settle turn');
      expect(half?.attributes['openclaw_rl.outcome']).toBe('sample');
      expect(named('settle turn', 'sample-submitter')).toHaveLength(1);
    });

    it('links what trainers take and train on to its turns, as part of their own traces', async () => {
      const trainer = new TrainerClient(door);
      await until(async () => (await trainer.stats()).waiting, { what: 'a sample at the door' });
      const response = await fetch(`${door}/v1/samples/lease`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...CLIENT_HEADERS },
        body: JSON.stringify({ request_id: 'lease', max: 1 }),
      });
      const { lease_id: leaseId } = (await response.json()) as { lease_id: string };
      expect((await trainer.lease({ max: 1 })).lease_id).toBeNull();
      await trainer.post(`/v1/samples/leases/${leaseId}/ack`, {});
      await eventually(() => named('acknowledge samples').length, 1);
      const { traceId, spanId } = chatOf(turns[0]!);
      expect(named('lease samples')).toMatchObject([
        {
          traceId: CLIENT.traceId,
          parentSpanId: CLIENT.spanId,
          links: [{ traceId, spanId }],
          attributes: { 'openclaw_rl.lease.id': leaseId },
        },
      ]);
      expect(named('acknowledge samples')[0]?.attributes).toEqual({ 'openclaw_rl.lease.id': leaseId });
    });

    it('has what the trainer does in a tree, linked to the turns that it trains on', async () => {
      const dir = mkdtempSync(join(tmpdir(), 'traced-'));
      opened.add({
        close: () => {
          rmSync(dir, { recursive: true });
        },
      });
      const settings = settingsFrom(
        envOf(
          traced({
            OPENCLAW_RL_TRAINER_BACKEND: 'file',
            OPENCLAW_RL_TRAINER_DIR: dir,
            OPENCLAW_RL_TRAINER_DOOR_URL: door,
            OPENCLAW_RL_RL_ROLLOUT_STEPS: '1',
          }),
        ),
      );
      opened.add(await startWorker(TrainerModule.forSettings(settings), logged));
      const trained = () => spans().filter(({ traceId }) => traceId === named('train')[0]?.traceId);
      await eventually(() => spanTree(trained()), ['trainer train', '  sample-submitter acknowledge samples']);
      const { traceId, spanId } = chatOf(turns[0]!);
      expect(named('train')[0]?.links).toEqual([{ traceId, spanId }]);
    });

    it('tells nothing that somebody has said, and no key', async () => {
      await eventually(() => spanTree(ofTurn(turns[1]!)), TREE_OF_TURN);
      await eventually(() => named('settle turn').length > 0, true);
      const told = collector.bodies.join('\n');
      for (const text of [...SAID.slice(0, 2), ...answers, HINT, KEY, 'session-of-a-user', 'personal assistant']) {
        expect(text.length).toBeGreaterThan(0);
        expect(told).not.toContain(text);
      }
    });
  });

  it('shows how long a chat was held at the gate', async () => {
    const gateway = await startGatewayWith(traced());
    const bucket = await bus.bucket(BUCKETS.policy);
    const update = { token: 't', requestId: 'r', asked: '', leaseIds: [], leaseMs: 60_000, startedAt: 1 };
    const gate = { state: 'updating', until: Date.now() + 60_000, holder: 'a', update };
    await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, gate }));
    await until(() => gateway.app.get(Gate).isClosed, { what: 'a closed gate' });
    const answered = clientOf(gateway).say(SAID[0]);
    const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
    await until(async () => /^openclaw_rl_chat_in_flight 1$/m.test(await metrics()), { what: 'a chat that waits' });
    await bucket.put(POLICY_KEY, JSON.stringify(INITIAL_POLICY_STATE));
    const { turnId } = await answered;
    await eventually(
      () => ofTurn(turnId).find(({ name }) => name === 'held at the gate')?.parentSpanId,
      traceOf(turnId).slice(16),
    );
  });

  it('tells what failed by its name alone', async () => {
    const gateway = await startGatewayWith(traced());
    policy.script(
      { status: 500, message: 'a secret of the engine' },
      { status: 500, message: 'a secret of the engine' },
    );
    await expect(clientOf(gateway).say(SAID[0])).rejects.toThrow();
    await eventually(
      () => named('upstream').map(({ isError, attributes }) => [isError, attributes['error.type']]),
      [[true, 'status_500']],
    );
    expect(collector.bodies.join('\n')).not.toContain('secret of the engine');
  });

  it('traces the work on messages of services that trace nothing', async () => {
    await startOthers(traced());
    const client = clientOf(await startGatewayWith({}));
    const { turnId } = await client.say(SAID[0]);
    await client.say(SAID[1]);
    expect(await settled(turnId)).toMatchObject({ kind: 'sample' });
    expect(await headerOf(TurnCompleted, turnId)).toBe('');
    await eventually(() => named('process turn.judged').length, 1);
    const ofTracker = named('process turn.completed').find((span) => span.attributes['openclaw_rl.turn.id'] === turnId);
    expect(ofTracker?.parentSpanId).toBeNull();
    expect(ofTracker?.links[0]?.traceId).toBe(traceOf(turnId));
  });

  it('is off by itself: no header on the bus, and the client’s own trace goes on to the engine', async () => {
    await startOthers({});
    const client = clientOf(await startGatewayWith({}));
    const { turnId } = await client.say(SAID[0], CLIENT_HEADERS);
    await client.say(SAID[1]);
    expect(await settled(turnId)).toMatchObject({ kind: 'sample' });
    expect(await headerOf(TurnCompleted, turnId)).toBe('');
    expect(await headerOf(TurnFollowed, turnId)).toBe('');
    const [asked] = policy.requests.filter(({ path, isProbe }) => path.endsWith('/chat/completions') && !isProbe);
    expect(asked?.headers).toMatchObject(CLIENT_HEADERS);
    await opened.close();
    expect(collector.bodies).toEqual([]);
  });

  it('sends nothing of turns that are not sampled', async () => {
    await startOthers(traced({ OPENCLAW_RL_TRACING_SAMPLE_RATIO: '0' }));
    const client = clientOf(await startGatewayWith(traced({ OPENCLAW_RL_TRACING_SAMPLE_RATIO: '0' })));
    const { turnId } = await client.say(SAID[0], CLIENT_HEADERS);
    await client.say(SAID[1]);
    expect(await settled(turnId)).toMatchObject({ kind: 'sample' });
    expect(await headerOf(TurnCompleted, turnId)).toMatch(new RegExp(`^00-${traceOf(turnId)}-[0-9a-f]{16}-00$`));
    // Everything that waits is sent at the end.
    await opened.close();
    expect(collector.bodies).toEqual([]);
  });

  it('serves on, judges on, and counts what it drops while the collector refuses it, until it is back', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const { judge } = await startOthers(traced());
    const gateway = await startGatewayWith(traced());
    collector.status = 400;
    const client = clientOf(gateway);
    const { turnId } = await client.say(SAID[0]);
    await client.say(SAID[1]);
    expect(await settled(turnId)).toMatchObject({ kind: 'sample' });
    for (const app of [gateway.app, judge]) {
      await until(async () => (await metricOf(app, 'spans_dropped_total')).not_sent, { what: 'dropped spans' });
    }
    await client.say(SAID[2]);
    collector.status = 200;
    const { turnId: last } = await client.say('and what day is it');
    await eventually(() => spanTree(ofTurn(last)), TREE_OF_TURN);
    const warnings = warn.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('spans'));
    // Each of the five once.
    expect(warnings.length).toBeLessThanOrEqual(5);
    expect(new Set(warnings)).toEqual(
      new Set([
        `spans could not be sent to ${new URL(collector.url).host} (400); until they can be they are dropped and counted`,
      ]),
    );
  });

  it('sends what it has not sent when it ends', async () => {
    const gateway = await startGatewayWith(traced());
    const { turnId } = await clientOf(gateway).say(SAID[0]);
    await gateway.close();
    expect(spanTree(ofTurn(turnId))).toEqual(TREE_OF_TURN.filter((line) => line.includes('gateway')));
  });

  it('ends in time where nobody listens', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const gateway = await startGatewayWith(traced({ OPENCLAW_RL_TRACING_ENDPOINT: nobody }));
    const { turnId } = await clientOf(gateway).say(SAID[0]);
    expect(await until(() => bus.read(TurnCompleted, turnId), { what: 'the stored turn' })).not.toBeNull();
    const startedAt = performance.now();
    await gateway.close();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await bus.read(TurnJudged, turnId)).toBeNull();
  });
});
