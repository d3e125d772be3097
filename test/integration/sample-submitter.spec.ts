import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bus } from '@app/bus';
import {
  FeedbackGiven,
  BUCKETS,
  CONSUMERS,
  EraseSession,
  rootSessionKey,
  SessionEnded,
  sessionKey,
  STREAM_NAMES,
  TurnCompleted,
  TurnFollowed,
  TurnJudged,
  TurnSettled,
} from '@app/contracts';
import { PolicyStore } from '@app/pools';
import { sampleFromFrame } from '@app/sample';
import { until, type NatsServer } from '@app/testing';
import {
  get,
  post,
  publishArrived,
  publishCompleted,
  publishFeedback,
  publishJudged,
  publishTurn,
  settledOf,
  type Submitter,
} from './submitter-harness';
import { SubmitterWorld } from './submitter-world';

/** A delivery that failed, which is warned of, in the text of the metrics. */
const FAILURE = 'openclaw_rl_handler_errors_total{';

describe('sample-submitter', () => {
  let world: SubmitterWorld;
  let nats: NatsServer;
  let bus: Bus;
  let folder: string;

  const settled = (turnId: string, timeoutMs = 10_000) =>
    until(() => settledOf(bus, turnId), { what: `${turnId} is settled`, timeoutMs });
  const metrics = async (replica: Submitter): Promise<string> => (await fetch(`${replica.url}/metrics`)).text();
  /** Starts a replica that writes records, of everything from now on. */
  const startRecording = async (dir: string): Promise<Submitter> => {
    const replica = await world.start({ OPENCLAW_RL_RECORDS_ENABLED: 'true', OPENCLAW_RL_RECORDS_DIR: dir });
    for (const { stream, durable } of [CONSUMERS.records, CONSUMERS.feedbackRecords]) {
      await until(async () => bus.connection.current().jsm.consumers.info(stream, durable), {
        what: 'the records have begun',
      });
    }
    return replica;
  };
  const backlogDone = (stream: 'RL_VERDICTS' | 'RL_SAMPLES') =>
    until(
      async () => {
        const info = await bus.connection.current().jsm.consumers.info(stream, 'sample-submitter');
        return info.num_pending === 0 && info.num_ack_pending === 0;
      },
      { what: `everything of ${stream} is worked off`, timeoutMs: 20_000 },
    );

  beforeEach(async () => {
    world = await SubmitterWorld.open();
    ({ nats, bus } = world);
    folder = mkdtempSync(join(tmpdir(), 'records-'));
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('settling', () => {
    it('makes exactly one outcome of each turn with two replicas, over a crash of the bus', async () => {
      const [one, two] = [await world.start(), await world.start()];
      const turnIds = Array.from({ length: 60 }, (_, i) => `turn-${i}`);
      for (const [i, turnId] of turnIds.entries()) {
        await publishTurn(bus, turnId, ([1, -1, 0, null] as const)[i % 4]);
        if (i !== 30) continue;
        await nats.kill();
        await nats.restart();
        await bus.connection.whenUp(10_000);
      }
      for (const [i, turnId] of turnIds.entries()) {
        const expected = [{ kind: 'sample' }, { kind: 'sample' }, { reason: 'neutral' }, { reason: 'not_judged' }][
          i % 4
        ];
        expect(await settled(turnId, 40_000)).toMatchObject({ turnId, session: 'session', ...expected });
      }
      const { state } = await bus.connection.current().jsm.streams.info('RL_SAMPLES');
      expect(state.messages).toBe(60);
      expect(state.last_seq).toBe(60);
      const counts = await Promise.all(
        [one, two].map(async (each) => (await get(each.url, '/v1/stats')).body.outcomes),
      );
      expect(counts[0]).toEqual({ sample: 30, neutral: 15, not_judged: 15 });
      expect(counts[1]).toEqual(counts[0]);
    });

    it('keeps ids and log-probs exactly as they were captured', async () => {
      await world.start();
      await publishTurn(bus, 'turn', -1, { logProbs: [-0.123456789012345, -1e-7], policyVersion: 3 });
      await settled('turn');
      const message = (await bus.read(TurnSettled, 'turn'))!;
      expect(message.info).toMatchObject({ score: -1, source: 'votes', policyVersion: 3 });
      const sample = sampleFromFrame(message.body);
      expect([...sample.tokens]).toEqual([1, 2, 3, 4, 5]);
      expect([...sample.rollout_log_probs]).toEqual([-0.123456789012345, -1e-7]);
      expect(sample).toMatchObject({ prompt: null, reward: { score: -1 }, metadata: { session_key: 'session' } });
    });

    it('says why there is no sample: what excludes the turn first, then what does not fit, then a turn that is gone', async () => {
      await world.start();
      await publishTurn(bus, 'excluded', 0, { exclusion: 'no_token_ids' });
      await publishTurn(bus, 'unfit', 1, { logProbs: [-0.1] });
      await publishJudged(bus, 'lost', 1);
      await bus.publish(SessionEnded, ['session', '1'], {
        info: { session: 'session', incarnation: 1, cause: 'idle' },
        head: { withoutNextState: [], lost: [] },
      });
      expect(await settled('excluded')).toMatchObject({ kind: 'reason', reason: 'no_token_ids' });
      expect(await settled('unfit')).toMatchObject({
        reason: 'incomplete',
        detail: expect.stringContaining('rollout_log_probs'),
      });
      expect(await settled('lost')).toMatchObject({ reason: 'turn_lost' });
      await backlogDone('RL_VERDICTS');
    });

    it('settles a turn with a malformed verdict as a dead letter', async () => {
      await world.start();
      const { js } = bus.connection.current();
      await js.publish(TurnJudged.subject('broken'), 'not a frame');
      expect(await settled('broken')).toMatchObject({ kind: 'reason', reason: 'dead_letter' });
    });

    it("lets a person's score replace the votes, also where both waited in either order", async () => {
      await publishCompleted(bus, 'before');
      await publishFeedback(bus, 'before', -1);
      await publishJudged(bus, 'before', 1);
      await publishCompleted(bus, 'together');
      await publishJudged(bus, 'together', 1);
      await publishFeedback(bus, 'together', 0);
      const replica = await world.start();
      expect(await settled('before')).toMatchObject({ kind: 'sample', score: -1, source: 'feedback' });
      expect(await settled('together')).toMatchObject({ reason: 'neutral', score: 0, source: 'feedback' });

      await publishTurn(bus, 'after');
      await settled('after');
      await publishFeedback(bus, 'after', -1);
      await publishCompleted(bus, 'text');
      await publishFeedback(bus, 'text', undefined, 'well done');
      const session = {
        turnId: 'after',
        feedbackId: 'how-it-went',
        scope: 'scope',
        givenAt: 1,
        hasText: false,
        outcome: 1,
      };
      await bus.publish(FeedbackGiven, ['after', 'how-it-went'], { info: session, head: {} });
      await backlogDone('RL_VERDICTS');
      expect(await settledOf(bus, 'after')).toMatchObject({ score: 1, source: 'votes' });
      expect(await settledOf(bus, 'text')).toBeNull();
      const text = await metrics(replica);
      expect(text).toContain('openclaw_rl_feedback_total{fate="unused"} 1');
      expect(text).toContain('openclaw_rl_feedback_total{fate="used"} 2');
      expect(text).toContain('openclaw_rl_feedback_total{fate="late"} 1');
    });

    it('waits with a rating for an answer that is still being written, and warns of nothing', async () => {
      const replica = await world.start();
      await publishArrived(bus, 'rated');
      await publishFeedback(bus, 'rated', 1);
      await until(async () => (await world.redelivered()) > 0, { what: 'the rating was looked at' });
      expect(await settledOf(bus, 'rated')).toBeNull();
      await publishCompleted(bus, 'rated');
      expect(await settled('rated')).toMatchObject({ kind: 'sample', source: 'feedback' });
      expect(await metrics(replica)).not.toContain(FAILURE);
    });

    it('refuses the newest sample when the queue is full, and takes samples again when a trainer has leased', async () => {
      const replica = await world.start({ OPENCLAW_RL_SLIME_QUEUE_SIZE: '3' });
      const turnIds = Array.from({ length: 8 }, (_, i) => `turn-${i}`);
      for (const turnId of turnIds) await publishTurn(bus, turnId);
      const outcomes = await Promise.all(turnIds.map((turnId) => settled(turnId)));
      expect(outcomes.filter(({ kind }) => kind === 'sample')).toHaveLength(3);
      expect(outcomes.filter(({ reason }) => reason === 'queue_full')).toHaveLength(5);
      const leased = await post(replica.url, '/v1/samples/lease', { request_id: 'r1' });
      expect(leased.body.samples).toHaveLength(3);
      await until(async () => (await metrics(replica)).includes('openclaw_rl_samples_leased 3'), {
        what: 'the lease is known',
      });
      await publishTurn(bus, 'next');
      expect(await settled('next')).toMatchObject({ kind: 'sample' });
    });
  });

  describe('records', () => {
    const env = () => ({ OPENCLAW_RL_RECORDS_ENABLED: 'true', OPENCLAW_RL_RECORDS_DIR: join(folder, 'records') });
    const linesOf = (version: number, session: string): any[] => {
      const path = join(folder, 'records', `v${version}`, `${session}.jsonl`);
      if (!existsSync(path)) return [];
      return readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const written = (session: string, count: number, version = 0) =>
      until(() => linesOf(version, session).length === count && linesOf(version, session), {
        what: `${count} records of ${session}`,
        timeoutMs: 15_000,
      });

    it('keep a line per settled turn, from the prompt to its fate, readable by their owner only', async () => {
      await world.start(env());
      await publishArrived(bus, 'next', { session: 'session' });
      await publishCompleted(bus, 'turn', { session: 'session', policyVersion: 2 });
      await publishJudged(bus, 'turn', 1, 'next');
      const [line] = await written('session', 1, 2);
      expect(line).toMatchObject({
        turn_id: 'turn',
        session_key: 'session',
        session_id: 'raw:session',
        kind: 'main',
        policy_version: { start: 2, end: 2 },
        route: 'sglext',
        finish_reason: 'stop',
        prompt_tokens: 3,
        response_tokens: 2,
        messages: [{ role: 'user', content: 'question of turn' }],
        response: { role: 'assistant', content: 'answer of turn' },
        next_state: { source: 'request', messages: [{ role: 'user', content: 'next state in next' }] },
        judge: { model: 'judge', score: 1, votes: [{ score: 1, text: 'vote on turn', millis: 5 }] },
        score: 1,
        source: 'votes',
        outcome: 'sample',
        reason: null,
      });
      const path = join(folder, 'records', 'v2');
      expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(statSync(join(path, 'session.jsonl')).mode & 0o777).toBe(0o600);
    });

    it('wait for a turn whose outcome was said before it was stored, and warn of nothing', async () => {
      const replica = await world.start(env());
      const consumer = () => bus.connection.current().jsm.consumers.info('RL_SAMPLES', 'sample-submitter');
      await until(consumer, { what: 'the consumer exists' });
      await bus.publish(TurnSettled, ['turn'], {
        info: { turnId: 'turn', session: 'session', kind: 'reason', reason: 'side_turn', settledAt: Date.now() },
        head: {},
      });
      await until(async () => (await consumer()).delivered.consumer_seq > 0, {
        what: 'the outcome has been looked at',
      });
      await publishCompleted(bus, 'turn', { session: 'session', exclusion: 'side_turn' });
      const [line] = await written('session', 1);
      expect(line).toMatchObject({ reason: 'side_turn', messages: [{ content: 'question of turn' }] });
      expect(await metrics(replica)).not.toContain(FAILURE);
    });

    it('hold what people have said, and that it came too late for the turn', async () => {
      const replica = await startRecording(join(folder, 'records'));
      /** Resolves when the clock is past the turn's outcome. */
      const afterOutcome = async (turnId: string): Promise<void> => {
        const { settledAt } = await settled(turnId);
        await until(() => Date.now() > settledAt, { what: 'a millisecond is over' });
      };
      const feedbackLine = (turnId: string, feedbackId = `f-${turnId}`) =>
        until(() => linesOf(0, 'session').find(({ feedback_id: id }) => id === feedbackId), {
          what: `the feedback on ${turnId} is on record`,
          timeoutMs: 15_000,
        });
      await publishTurn(bus, 'judged', 1, { session: 'session' });
      await afterOutcome('judged');
      await publishFeedback(bus, 'judged', -1, 'No, a list.');
      expect(await feedbackLine('judged')).toMatchObject({
        feedback_id: 'f-judged',
        turn_id: 'judged',
        session_key: 'session',
        score: -1,
        text: 'No, a list.',
        late: true,
      });

      await publishCompleted(bus, 'rated', { session: 'session' });
      await publishFeedback(bus, 'rated', -1);
      expect(await feedbackLine('rated')).toMatchObject({ score: -1, text: null, late: false });
      await afterOutcome('rated');
      const again = { turnId: 'rated', feedbackId: 'again', scope: 'scope', givenAt: Date.now(), hasText: false };
      await bus.publish(FeedbackGiven, ['rated', 'again'], { info: { ...again, score: -1 }, head: {} });
      expect(await feedbackLine('rated', 'again')).toMatchObject({ score: -1, late: true });

      await publishArrived(bus, 'cut', { session: 'session' });
      await publishFeedback(bus, 'cut', 1);
      await bus.publish(TurnSettled, ['cut'], {
        info: { turnId: 'cut', session: 'session', kind: 'reason', reason: 'undelivered', settledAt: Date.now() },
        head: {},
      });
      await publishCompleted(bus, 'cut', { session: 'session', exclusion: 'undelivered' });
      expect(await feedbackLine('cut')).toMatchObject({ score: 1, late: false });

      await publishCompleted(bus, 'worded', { session: 'session' });
      await publishArrived(bus, 'next', { session: 'session', arrivedAt: Date.now() - 1 });
      await publishFeedback(bus, 'worded', undefined, 'Use a list.');
      await bus.publish(TurnFollowed, ['worded'], {
        info: { turnId: 'worded', session: 'session', role: 'user', nextTurnId: 'next' },
        head: {},
      });
      await publishJudged(bus, 'worded', 1);
      expect(await feedbackLine('worded')).toMatchObject({ score: null, text: 'Use a list.', late: true });
      expect(await metrics(replica)).not.toContain(FAILURE);
    });

    it('do not double a line that is delivered again', async () => {
      await world.start(env());
      await publishTurn(bus, 'turn', 1, { session: 'session' });
      await written('session', 1);
      await backlogDone('RL_SAMPLES');
      await world.stop();
      // A consumer that is declared anew delivers everything again, as one whose acks were lost does.
      const { jsm } = bus.connection.current();
      await jsm.consumers.delete(CONSUMERS.records.stream, CONSUMERS.records.durable);
      await world.start(env());
      await publishTurn(bus, 'other', 1, { session: 'session' });
      await backlogDone('RL_SAMPLES');
      expect((await written('session', 2)).map(({ turn_id }) => turn_id)).toEqual(['turn', 'other']);
    });

    it('wait for a disk that takes nothing, while everything else goes on', async () => {
      const replica = await world.start(env());
      writeFileSync(join(folder, 'records'), 'a file where the folder should be');
      await publishTurn(bus, 'turn', 1, { session: 'session' });
      await until(async () => /records_total\{result="failed"\} [1-9]/.test(await metrics(replica)), {
        what: 'a failure is counted',
      });
      expect((await post(replica.url, '/v1/samples/lease', { request_id: 'r' })).body.samples).toHaveLength(1);
      rmSync(join(folder, 'records'));
      await written('session', 1);
    });

    it('are purged when the policy version rises', async () => {
      await world.start({ ...env(), OPENCLAW_RL_RECORDS_KEEP_VERSIONS: '1' });
      await publishTurn(bus, 'old', 1, { session: 'session', policyVersion: 0 });
      await publishTurn(bus, 'new', 1, { session: 'session', policyVersion: 1 });
      await written('session', 1, 0);
      await written('session', 1, 1);
      await new PolicyStore(bus).change((state) => ({ state: { ...state, version: 1 }, result: null }));
      await until(() => readdirSync(join(folder, 'records')).join() === 'v1', { what: 'only version 1 is left' });
    });

    it('hold nothing of what was said before they were switched on', async () => {
      await world.start();
      await publishTurn(bus, 'before', 1, { session: 'session' });
      await settled('before');
      await world.stop();
      await world.start(env());
      await until(async () => bus.connection.current().jsm.consumers.info('RL_SAMPLES', 'sample-submitter'), {
        what: 'the consumer exists',
      });
      await publishTurn(bus, 'after', 1, { session: 'session' });
      const [line, ...more] = await written('session', 1);
      expect(line).toMatchObject({ turn_id: 'after' });
      expect(more).toEqual([]);
    });

    it('are not written, and leave no consumer behind, when they are off', async () => {
      await world.start(env());
      await until(async () => bus.connection.current().jsm.consumers.info('RL_SAMPLES', 'sample-submitter'), {
        what: 'the consumer exists',
      });
      await world.stop();
      await world.start();
      await until(
        async () =>
          bus.connection
            .current()
            .jsm.consumers.info('RL_SAMPLES', 'sample-submitter')
            .then(
              () => false,
              () => true,
            ),
        { what: 'the consumer is gone' },
      );
      await publishTurn(bus, 'turn', 1, { session: 'session' });
      await settled('turn');
      expect(existsSync(join(folder, 'records', 'v0'))).toBe(false);
    });
  });

  describe('erasing a session', () => {
    const erase = async (session: string) => {
      const reply = await bus
        .core()
        .request(EraseSession.subject, EraseSession.encodeRequest({ session }), { timeout: 10_000 });
      return EraseSession.decodeReply(reply.string());
    };
    const subjects = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const stream of STREAM_NAMES) for await (const { subject } of bus.scan(stream)) found.push(subject);
      return found.sort();
    };

    it('removes its messages, documents and records, and nothing of another session', async () => {
      const replica = await startRecording(folder);
      const [mine, theirs] = [sessionKey('scope', 'mine'), sessionKey('scope', 'theirs')];
      const documents = await bus.bucket(BUCKETS.sessions);
      for (const [session, name] of [
        [mine, 'm'],
        [theirs, 't'],
      ] as const) {
        for (const turn of [`${name}1`, `${name}2`]) {
          await publishArrived(bus, turn, { session });
          await publishCompleted(bus, turn, { session });
        }
        await bus.publish(TurnFollowed, [`${name}1`], {
          info: { turnId: `${name}1`, session, role: 'user', nextTurnId: `${name}2` },
          head: {},
        });
        // A turn without a name: only what followed it says where it belongs.
        await publishCompleted(bus, `${name}0`);
        await bus.publish(TurnFollowed, [`${name}0`], {
          info: { turnId: `${name}0`, session, role: 'user', nextTurnId: `${name}1` },
          head: {},
        });
        // Another one, of which only the tracker's document says where it belongs.
        await publishCompleted(bus, `${name}9`);
        await documents.put(`turn.${name}9`, JSON.stringify({ session, main: true }));
        await publishFeedback(bus, `${name}1`, 1, 'words');
        await bus.publish(SessionEnded, [session, '1'], {
          info: { session, incarnation: 1, cause: 'done' },
          head: { withoutNextState: [], lost: [] },
        });
        await documents.put(`session.${session}`, '{}');
      }
      await settled('m1');
      await settled('t1');
      await backlogDone('RL_SAMPLES');
      await until(
        () =>
          [mine, theirs].every((session) => {
            const path = join(folder, 'v0', `${session}.jsonl`);
            return existsSync(path) && readFileSync(path, 'utf8').split('\n').length === 3;
          }),
        {
          what: 'both turns and both ratings are on record',
        },
      );
      const before = await subjects();
      const ours = before.filter((subject) => /\.(m\d)(\.|$)/.test(subject) || subject.includes(mine));

      expect(await erase(mine)).toEqual({ messages: ours.length, records: 2 });
      expect(await subjects()).toEqual(before.filter((subject) => !ours.includes(subject)));
      expect(ours.length).toBe(11);
      expect(readdirSync(join(folder, 'v0'))).toEqual([`${theirs}.jsonl`]);
      expect((await documents.get(`session.${mine}`))?.operation).not.toBe('PUT');
      expect((await documents.get('turn.m9'))?.operation).not.toBe('PUT');
      expect((await documents.get('turn.t9'))?.operation).toBe('PUT');
      expect((await documents.get(`session.${theirs}`))?.operation).toBe('PUT');

      const leased = await post(replica.url, '/v1/samples/lease', { request_id: 'r' });
      expect(leased.body.samples.map((sample: any) => sample.metadata.turn_id)).toEqual(['t1']);
      expect(await erase(mine)).toEqual({ messages: 0, records: 0 });
      // Its sample is gone, and nobody was trained on it.
      expect((await get(replica.url, '/v1/stats')).body).toMatchObject({ waiting: 0, leased: 1, done: 0 });
    });

    it("takes the session's words out of the store's files", async () => {
      await world.start();
      await publishTurn(bus, 'mine', 1, { session: 'my-session' });
      await publishTurn(bus, 'theirs', 1, { session: 'other' });
      await settled('mine');
      await settled('theirs');
      const files = () =>
        readdirSync(nats.storeDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.blk'));
      const isOnDisk = (text: string): boolean =>
        files().some((name) => readFileSync(join(nats.storeDir, name)).includes(text));
      for (const turn of ['mine', 'theirs']) {
        await until(() => isOnDisk(`question of ${turn}`) && isOnDisk(`vote on ${turn}`), {
          what: `${turn} is on disk`,
        });
      }
      await erase('my-session');
      await until(() => !isOnDisk('question of mine') && !isOnDisk('answer of mine') && !isOnDisk('vote on mine'), {
        what: 'the words are gone',
      });
      expect(isOnDisk('question of theirs')).toBe(true);
      await nats.kill();
      await nats.restart();
      await until(() => bus.isUp, { what: 'the bus is back' });
      expect((await bus.read(TurnCompleted, 'theirs'))?.body.head.messages).toHaveLength(1);
    });

    it('erases what comes out afterwards of a turn that was being judged or streamed, and keeps what came later', async () => {
      const env = { OPENCLAW_RL_RECORDS_ENABLED: 'true', OPENCLAW_RL_RECORDS_DIR: folder };
      await world.start(env);
      await world.start(env);
      const session = sessionKey('scope', 's');
      const documents = await bus.bucket(BUCKETS.sessions);
      for (const turn of ['judged', 'streamed', 'nameless']) {
        const options = turn === 'nameless' ? {} : { session };
        await publishArrived(bus, turn, options);
        await documents.put(`turn.${turn}`, JSON.stringify({ session, main: true }));
        if (turn === 'judged') await publishCompleted(bus, turn, options);
      }
      await bus.publish(TurnFollowed, ['judged'], {
        info: { turnId: 'judged', session, role: 'user', nextTurnId: 'streamed' },
        head: {},
      });
      expect((await erase(session)).messages).toBe(5);

      await publishJudged(bus, 'judged', 1, 'streamed');
      await publishCompleted(bus, 'streamed', { session });
      await publishCompleted(bus, 'nameless');
      await publishArrived(bus, 'later', { session });
      await publishTurn(bus, 'later', 1, { session });
      // An answer that nobody had heard of when the session was erased.
      await publishCompleted(bus, 'unheard', { session });
      const ofLater = ['arrived', 'completed', 'judged', 'settled'].map((name) => `rl.turn.${name}.v1.later`);
      await until(async () => (await subjects()).join() === ofLater.sort().join(), {
        what: 'only the later turn is left',
        timeoutMs: 15_000,
      });
      const file = join(folder, 'v0', 'session.jsonl');
      await until(() => existsSync(file) && readFileSync(file, 'utf8').split('\n').length === 2, {
        what: 'its record is the only one',
        timeoutMs: 10_000,
      });
      expect(readFileSync(file, 'utf8')).toContain('"turn_id":"later"');
      expect(readdirSync(join(folder, 'v0'))).toEqual(['session.jsonl']);
    });

    it('finishes an erasure that was cut short', async () => {
      await publishCompleted(bus, 'half');
      await publishCompleted(bus, 'other');
      const { state } = await bus.connection.current().jsm.streams.info('RL_TURNS');
      const note = { after: { RL_TURNS: state.last_seq }, turns: ['half'], places: [] };
      await (await bus.bucket(BUCKETS.sessions)).put(`erased.${sessionKey('scope', 's')}`, JSON.stringify(note));
      await world.start();
      await until(async () => (await bus.read(TurnCompleted, 'half')) === null, { what: 'the rest is erased' });
      expect(await bus.read(TurnCompleted, 'other')).not.toBeNull();
    });

    it('finds a turn that is a session of its own', async () => {
      await world.start();
      await publishCompleted(bus, 'alone');
      await publishCompleted(bus, 'other');
      const session = rootSessionKey('alone');
      await until(async () => (await erase(session)).messages === 1, { what: 'the turn is erased' });
      expect(await bus.read(TurnCompleted, 'alone')).toBeNull();
      expect(await bus.read(TurnCompleted, 'other')).not.toBeNull();
    });

    it('leaves a leased sample with its trainer', async () => {
      const replica = await world.start();
      await publishTurn(bus, 'turn', 1, { session: 'session' });
      await settled('turn');
      const leased = await post(replica.url, '/v1/samples/lease', { request_id: 'r' });
      expect((await erase('session')).messages).toBe(3);
      const acked = await post(replica.url, `/v1/samples/leases/${leased.body.lease_id}/ack`, { request_id: 'a' });
      expect(acked).toMatchObject({ status: 200, body: { samples: 1 } });
    });
  });
});
