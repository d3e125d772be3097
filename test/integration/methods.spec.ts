import { randomUUID } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@app/bus';
import { TurnFollowed } from '@app/contracts';
import { runApp } from '@app/telemetry';
import { until, type NatsServer } from '@app/testing';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { settingsFrom } from '../support/settings-from';
import {
  get,
  post,
  publishArrived,
  publishCompleted,
  publishFeedback,
  publishFollowed,
  publishHinted,
  publishJudged,
  settledOf,
  type Submitter,
} from './submitter-harness';
import { SubmitterWorld } from './submitter-world';

/** A leased sample, of any shape: what is read of it is compared, not trusted. */
type SampleBody = Record<string, any>;

describe('methods in sample-submitter', () => {
  let world: SubmitterWorld;
  let nats: NatsServer;
  let bus: Bus;

  const HYBRID = { OPENCLAW_RL_RL_ALGORITHM: 'hybrid' };
  const OPD = { OPENCLAW_RL_RL_ALGORITHM: 'opd' };

  const outcome = (turnId: string) => world.settled(turnId);

  const sampleOf = async ({ url }: Submitter, turnId: string) => {
    const leased = await post(url, '/v1/samples/lease', { request_id: randomUUID(), max: 64 });
    return (leased.body.samples as SampleBody[]).find((sample) => sample.metadata.turn_id === turnId);
  };

  beforeEach(async () => {
    world = await SubmitterWorld.open();
    ({ nats, bus } = world);
  });
  afterEach(() => world.close());

  it.each(['judge first', 'teacher first'])('makes one sample of both halves, %s', async (order) => {
    const submitter = await world.start(HYBRID);
    await publishCompleted(bus, 'both');
    const halves = [() => publishJudged(bus, 'both', -1), () => publishHinted(bus, 'both', [-0.5, -0.125])];
    if (order === 'teacher first') halves.reverse();
    await halves[0]!();
    await world.workedOff();
    expect(await settledOf(bus, 'both')).toBeNull();
    await halves[1]!();
    expect(await outcome('both')).toMatchObject({ kind: 'sample', signal: 'both', score: -1, source: 'votes' });
    const sample = (await sampleOf(submitter, 'both'))!;
    expect(sample).toMatchObject({
      reward: { score: -1 },
      teacher_log_probs: [-0.5, -0.125],
      metadata: { method: 'hybrid', hint: 'Use a list.', weights: { binary_reward: 1, opd: 1 } },
    });
    expect(sample.advantages[0]).toBeCloseTo(-1 + (-0.5 - -0.1), 12);
    expect(sample.advantages[1]).toBeCloseTo(-1 + (-0.125 - -0.25), 12);
  });

  it('follows the whole table, and counts what samples train on', async () => {
    const submitter = await world.start({ ...HYBRID, OPENCLAW_COMBINE_W_RL: '2', OPENCLAW_COMBINE_W_OPD: '0.5' });
    const turn = async (name: string, score: 1 | -1 | 0 | null, hint: readonly [number, number] | 'no_hint') => {
      await publishCompleted(bus, name);
      await Promise.all([publishJudged(bus, name, score), publishHinted(bus, name, hint)]);
    };
    await turn('both', 1, [-1, -1]);
    await turn('hint-only', 0, [-1, -1]);
    await turn('hint-unjudged', null, [-1, -1]);
    await turn('reward-only', -1, 'no_hint');
    await turn('neither', 0, 'no_hint');
    await turn('neither-unjudged', null, 'no_hint');
    expect(await outcome('both')).toMatchObject({ signal: 'both' });
    expect(await outcome('hint-only')).toMatchObject({ signal: 'teacher' });
    expect(await outcome('hint-unjudged')).toMatchObject({ signal: 'teacher' });
    expect(await outcome('reward-only')).toMatchObject({ signal: 'reward' });
    expect(await outcome('neither')).toMatchObject({ kind: 'reason', reason: 'neutral', detail: 'no_hint' });
    expect(await outcome('neither-unjudged')).toMatchObject({ kind: 'reason', reason: 'not_judged' });
    const stats = (await get(submitter.url, '/v1/stats')).body;
    expect(stats.signals).toEqual({ both: 1, reward: 1, teacher: 2 });
    const leased = await post(submitter.url, '/v1/samples/lease', { request_id: 'all', max: 64 });
    const advantages = Object.fromEntries(
      (leased.body.samples as SampleBody[]).map((sample) => [sample.metadata.turn_id, sample.advantages]),
    );
    expect(advantages['reward-only']).toEqual([-2, -2]);
    expect(advantages['hint-only'][0]).toBeCloseTo(0.5 * (-1 - -0.1), 12);
    expect(advantages.both[1]).toBeCloseTo(2 + 0.5 * (-1 - -0.25), 12);
  });

  it('trains on hints alone with opd, and needs no judge', async () => {
    await world.start(OPD);
    for (const turnId of ['hinted', 'unhinted', 'mismatch']) await publishCompleted(bus, turnId);
    await publishHinted(bus, 'hinted', [-1, -1]);
    await publishHinted(bus, 'unhinted', 'no_valid_vote');
    await publishHinted(bus, 'mismatch', 'temperature_mismatch');
    expect(await outcome('hinted')).toMatchObject({ kind: 'sample', signal: 'teacher' });
    expect(await outcome('unhinted')).toMatchObject({ reason: 'no_hint', detail: 'no_valid_vote' });
    expect(await outcome('mismatch')).toMatchObject({ reason: 'temperature_mismatch' });
  });

  it('reports votes that are for evaluation, and makes no rewards of them', async () => {
    const submitter = await world.start({ ...OPD, OPENCLAW_EVAL_MODE: '1' });
    await publishCompleted(bus, 'evaluated');
    await publishHinted(bus, 'evaluated', [-1, -1]);
    await world.workedOff();
    expect(await settledOf(bus, 'evaluated')).toBeNull();
    await publishJudged(bus, 'evaluated', 1);
    expect(await outcome('evaluated')).toMatchObject({ kind: 'sample', signal: 'teacher', score: 1 });
    const sample = await sampleOf(submitter, 'evaluated');
    expect(sample).toMatchObject({ reward: { score: 0 }, metadata: { reward_source: 'none', votes: [1] } });
  });

  it('makes no sample of votes alone that are for evaluation', async () => {
    await world.start({ OPENCLAW_EVAL_MODE: '1' });
    await publishCompleted(bus, 'votes');
    await publishJudged(bus, 'votes', -1);
    expect(await outcome('votes')).toMatchObject({ kind: 'reason', reason: 'evaluated', score: -1 });
  });

  it('lets a person’s score stand in for the votes, with the hint where one is on its way', async () => {
    await world.start(HYBRID);
    await publishCompleted(bus, 'rated');
    await publishFollowed(bus, 'rated');
    await publishFeedback(bus, 'rated', -1);
    await world.workedOff();
    expect(await settledOf(bus, 'rated')).toBeNull();
    await publishHinted(bus, 'rated', [-1, -1]);
    expect(await outcome('rated')).toMatchObject({ signal: 'both', score: -1, source: 'feedback' });

    await publishCompleted(bus, 'unfollowed');
    await publishFeedback(bus, 'unfollowed', 1);
    expect(await outcome('unfollowed')).toMatchObject({ signal: 'reward', score: 1, source: 'feedback' });
  });

  it.each(['before', 'after'])(
    'makes one call of words and a score what two are, with a session-tracker that is up %s it',
    async (order) => {
      const startTracker = () =>
        runApp({
          module: SessionTrackerModule.forSettings(
            settingsFrom({ ...HYBRID, OPENCLAW_RL_NATS_URL: nats.url, OPENCLAW_RL_NATS_STORE_GB: '1' }),
          ),
          host: '127.0.0.1',
          port: 0,
          logLevel: 'error',
          logFormat: 'text',
        });
      const submitter = await world.start(HYBRID);
      const early = order === 'before' ? await startTracker() : null;
      await publishArrived(bus, 'told', { session: 'session' });
      await publishCompleted(bus, 'told', { session: 'session' });
      await publishFeedback(bus, 'told', -1, 'No, a list.');
      await until(async () => (await world.redelivered()) > 0 || early !== null, { what: 'the score waits' });
      const tracker = early ?? (await startTracker());
      try {
        const followed = await until(() => bus.read(TurnFollowed, 'told'), {
          what: 'the words follow',
          timeoutMs: 15_000,
        });
        expect(followed.info).toMatchObject({ feedbackId: 'f-told', role: 'user' });
        await world.workedOff();
        expect(await settledOf(bus, 'told')).toBeNull();
        await publishHinted(bus, 'told', [-1, -1]);
        expect(await outcome('told')).toMatchObject({ signal: 'both', score: -1, source: 'feedback' });
        const metrics = await (await fetch(`${submitter.url}/metrics`)).text();
        expect(metrics).not.toContain('openclaw_rl_handler_errors_total{');
      } finally {
        await tracker.close();
      }
    },
  );

  it('makes one outcome with two replicas, redeliveries and a crash of the server', async () => {
    await world.start(HYBRID);
    await world.start(HYBRID);
    const turns = Array.from({ length: 30 }, (_, i) => `turn-${i}`);
    for (const turnId of turns) await publishCompleted(bus, turnId);
    await Promise.all(turns.flatMap((turnId) => [publishJudged(bus, turnId, 1), publishHinted(bus, turnId, [-1, -1])]));
    await nats.kill();
    await nats.restart();
    for (const turnId of turns) expect(await outcome(turnId)).toMatchObject({ kind: 'sample', signal: 'both' });
    // What a crash took the acknowledgement of comes back after the consumer's ack wait.
    await world.workedOff(60_000);
    const { state } = await bus.connection.current().jsm.streams.info('RL_SAMPLES');
    expect(state.messages).toBe(turns.length);
  }, 120_000);

  it('writes votes, hints and what became of them into the records', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'methods-'));
    try {
      await world.start({ ...HYBRID, OPENCLAW_RECORD_ENABLED: '1', OPENCLAW_RL_RECORDS_DIR: folder });
      await publishCompleted(bus, 'recorded');
      await publishJudged(bus, 'recorded', 1);
      await publishHinted(bus, 'recorded', [-1, -1]);
      // Where and how the README says to look.
      const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
      const [, shown = '', glob = ''] = /^jq '.*\{(.*)\}' \.openclaw-rl\/records\/(\S+)$/m.exec(readme) ?? [];
      const text = await until(
        () => {
          const [file] = globSync(join(folder, glob));
          const read = file === undefined ? '' : readFileSync(file, 'utf8');
          return read.endsWith('\n') ? read : null;
        },
        { what: 'the record' },
      );
      const record = JSON.parse(text) as object;
      expect(record).toMatchObject({
        judge: { score: 1 },
        hints: {
          model: 'judge',
          teacher_model: 'teacher',
          selected: 0,
          hint: 'Use a list.',
          reason: null,
          votes: [{ decision: 1, hint: 'Use a list.', text: 'hint on recorded' }],
        },
        signal: 'both',
      });
      expect(shown.split(', ').filter((name) => !Object.hasOwn(record, name))).toEqual([]);
    } finally {
      await world.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
