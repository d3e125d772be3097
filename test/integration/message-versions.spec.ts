import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { headers } from '@nats-io/transport-node';
import { Bus } from '@app/bus';
import {
  DeadLetter,
  decodeFrame,
  encodeFrame,
  FeedbackGiven,
  INFO_HEADER,
  SessionClosed,
  sessionKey,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnJudged,
  TurnSettled,
  type EncodedMessage,
} from '@app/contracts';
import { runApp } from '@app/telemetry';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { settingsFrom } from '../support/settings-from';
import { startSubmitter, type Submitter } from './submitter-harness';
import { arrived, completed, judged } from '../support/least-messages';

const NEWS = { from_the_future: { a: [1, null] }, another: 'x' };

/** The message as a newer version might send it: with fields in info and body that this one does not know. */
const newer = (message: EncodedMessage): EncodedMessage => {
  const { head, arrays } = decodeFrame(message.data);
  return {
    ...message,
    info: JSON.stringify({ ...(JSON.parse(message.info) as object), ...NEWS }),
    data: encodeFrame({ ...(head as object), ...NEWS }, { ...arrays, unknown: Int32Array.of(1) }),
  };
};

describe('messages of other versions, and of none', () => {
  let nats: NatsServer;
  let engine: EngineDouble;
  let bus: Bus;
  let submitter: Submitter;
  const apps: INestApplication[] = [];

  beforeAll(async () => {
    nats = await startNatsServer();
    engine = await startEngineDouble({});
    bus = new Bus({ app: 'test', url: nats.url, storeGb: 1, replicas: 1 });
    await bus.ready();
    const settings = settingsFrom({
      OPENCLAW_RL_NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    });
    for (const module of [SessionTrackerModule.forSettings(settings), PrmJudgeModule.forSettings(settings)]) {
      apps.push(await runApp({ module, host: '127.0.0.1', port: 0, logLevel: 'error', logFormat: 'text' }));
    }
    submitter = await startSubmitter(nats.url);
  });
  afterAll(async () => {
    await Promise.all([...apps.map((app) => app.close()), submitter.close()]);
    await bus.close();
    await engine.close();
    await nats.stop();
  });

  const send = async (...messages: readonly EncodedMessage[]): Promise<void> => {
    for (const message of messages) await bus.publishEncoded(message);
  };
  /** Bytes that no version of ours has made. */
  const sendRaw = async (subject: string, info: string | null, data: string | Uint8Array = ''): Promise<void> => {
    const head = headers();
    if (info !== null) head.set(INFO_HEADER, info);
    await bus.connection.current().js.publish(subject, data, { headers: head });
  };
  const outcomeOf = async (turnId: string) =>
    (await until(() => bus.read(TurnSettled, turnId), { what: `the outcome of ${turnId}`, timeoutMs: 15_000 })).info;
  const deadLetters = async () => {
    const letters: { app: string; subject: string }[] = [];
    for await (const { info } of bus.scan('RL_DEAD')) {
      letters.push(DeadLetter.decodeInfo({ subject: '', info, data: new Uint8Array() }));
    }
    return letters;
  };
  const buried = (app: string, subject: string) =>
    until(async () => (await deadLetters()).some((letter) => letter.app === app && letter.subject === subject), {
      what: `${app} buries ${subject}`,
    });
  /** A conversation of two turns, through tracker, judge and submitter. */
  const converse = async (form: (message: EncodedMessage) => EncodedMessage): Promise<string> => {
    const [first, second] = [randomUUID(), randomUUID()];
    const place = { namedSession: sessionKey('scope', first) };
    const parent = { ...place, parentChain: `chain-${first}`, nextStateRole: 'user' };
    const says = [{ role: 'user', content: 'thanks, that is great' }];
    await send(
      ...[
        arrived(first, place),
        completed(first, { ...place, chain: `chain-${first}` }),
        arrived(second, parent, says),
        completed(second, parent),
      ].map(form),
    );
    return first;
  };

  it('reads fields that it does not know as if they were not there, from the first message to the sample', async () => {
    const [plain, future] = [await converse((message) => message), await converse(newer)];
    expect(await outcomeOf(plain)).toMatchObject({ kind: 'sample', score: 1 });
    expect(await outcomeOf(future)).toMatchObject({ kind: 'sample', score: 1 });
  });

  it('judges and settles newer messages that others have sent', async () => {
    const [turn, next] = [randomUUID(), randomUUID()];
    await send(
      newer(completed(turn)),
      newer(arrived(next, {}, [{ role: 'user', content: 'thanks' }])),
      newer(TurnFollowed.encode([turn], { turnId: turn, session: 's', role: 'user', nextTurnId: next }, {})),
    );
    expect(await outcomeOf(turn)).toMatchObject({ kind: 'sample' });
    const rated = randomUUID();
    const feedback = { turnId: rated, feedbackId: 'f', scope: 'scope', givenAt: 1, hasText: false, score: -1 as const };
    await send(newer(completed(rated)), newer(FeedbackGiven.encode([rated, 'f'], feedback, {})));
    expect(await outcomeOf(rated)).toMatchObject({ kind: 'sample', score: -1, source: 'feedback' });
  });

  it.each([
    ['RL_TURNS', 'rl.turn.completed', 'session-tracker'],
    ['RL_FOLLOWS', 'rl.turn.followed', 'prm-judge'],
    ['RL_VERDICTS', 'rl.turn.judged', 'sample-submitter'],
  ])('leaves version 2 in %s to those who can read it', async (stream, name, durable) => {
    const { jsm } = bus.connection.current();
    const { config } = await jsm.streams.info(stream);
    await jsm.streams.update(stream, { ...config, subjects: [...config.subjects, `${name}.v2.*`] });
    const letters = (await deadLetters()).length;
    await sendRaw(`${name}.v2.${randomUUID()}`, '{"everything":"is different"}', 'new');
    // What comes behind it is handled, so it has been passed over.
    expect(await outcomeOf(await converse((message) => message))).toMatchObject({ kind: 'sample' });
    expect(await deadLetters()).toHaveLength(letters);
    const info = await jsm.consumers.info(stream, durable);
    expect(info.config.filter_subject).not.toContain('v2');
    expect(await jsm.streams.getMessage(stream, { last_by_subj: `${name}.v2.*` })).not.toBeNull();
  });

  const INFOS = [null, '', 'null', '5', '[]', '{', '{}', '{"turnId":7}', '{"turnId":null,"subject":5}', '\u00ff'];

  it.each(INFOS)('gives up messages with the info %j, settles their turns and goes on', async (info) => {
    const id = randomUUID();
    for (const [definition, app] of [
      [TurnCompleted, 'session-tracker'],
      [TurnFollowed, 'prm-judge'],
      [TurnJudged, 'sample-submitter'],
    ] as const) {
      const turnId = `${app}-${id}`;
      await sendRaw(definition.subject(turnId), info, encodeFrame({}, {}));
      await buried(app, definition.subject(turnId));
      expect(await outcomeOf(turnId)).toMatchObject({ kind: 'reason', reason: 'dead_letter' });
    }
    const others = [TurnArrived.subject(id), SessionClosed.subject(id)];
    for (const subject of others) {
      await sendRaw(subject, info);
      await buried('session-tracker', subject);
    }
    await sendRaw(FeedbackGiven.subject(id, 'f'), info);
    await buried('session-tracker', FeedbackGiven.subject(id, 'f'));
    await buried('sample-submitter', FeedbackGiven.subject(id, 'f'));
    expect(await outcomeOf(await converse((message) => message))).toMatchObject({ kind: 'sample' });
  });

  const FRAMES: [string, Uint8Array][] = [
    ['nothing', new Uint8Array()],
    ['three bytes', Uint8Array.of(1, 2, 3)],
    ['text', Buffer.from('not a frame at all')],
    ['a head longer than all', Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0)],
    ['a head that is null', Buffer.from([4, 0, 0, 0, ...Buffer.from('null')])],
    ['an array longer than all', Buffer.from(encodeFrame({}, { a: Int32Array.of(1, 2) }).subarray(0, -8))],
    ['another head', encodeFrame({ messages: 5 }, {})],
  ];

  it.each(FRAMES)('gives up a verdict, and a turn that was judged, whose body is %s', async (_, frame) => {
    const [verdict, turn, followed] = [randomUUID(), randomUUID(), randomUUID()];
    await sendRaw(TurnJudged.subject(verdict), judged(verdict).info, frame);
    expect(await outcomeOf(verdict)).toMatchObject({ kind: 'reason', reason: 'dead_letter' });

    await sendRaw(TurnCompleted.subject(turn), completed(turn).info, frame);
    await send(judged(turn));
    expect(await outcomeOf(turn)).toMatchObject({ kind: 'reason', reason: 'dead_letter' });

    await sendRaw(TurnCompleted.subject(followed), completed(followed).info, frame);
    await send(TurnFollowed.encode([followed], { turnId: followed, session: 's', role: 'user', feedbackId: 'f' }, {}));
    expect(await outcomeOf(followed)).toMatchObject({ kind: 'reason', reason: 'dead_letter' });
  });

  it.each(['a$b', 'ü', '__proto__', 'x'.repeat(200)])('gives up messages about a turn called %j, once', async (id) => {
    for (const [name, app] of [
      ['rl.turn.completed.v1', 'session-tracker'],
      ['rl.turn.followed.v1', 'prm-judge'],
      ['rl.turn.judged.v1', 'sample-submitter'],
    ] as const) {
      await sendRaw(`${name}.${id}`, '{}');
      await buried(app, `${name}.${id}`);
    }
    const { jsm } = bus.connection.current();
    await until(
      async () => {
        const states = await Promise.all([
          jsm.consumers.info('RL_TURNS', 'session-tracker'),
          jsm.consumers.info('RL_FOLLOWS', 'prm-judge'),
          jsm.consumers.info('RL_VERDICTS', 'sample-submitter'),
        ]);
        return states.every((state) => state.num_ack_pending === 0);
      },
      { what: 'nothing is left in hand', timeoutMs: 15_000 },
    );
  });

  it('survives outcomes that nobody can read, and counts and hands out the others', async () => {
    for (const info of INFOS) await sendRaw(TurnSettled.subject(randomUUID()), info, 'garbage');
    const unreadable = randomUUID();
    await sendRaw(
      TurnSettled.subject(unreadable),
      JSON.stringify({ turnId: unreadable, kind: 'sample', settledAt: 1 }),
      'garbage',
    );
    const good = await converse((message) => message);
    await outcomeOf(good);
    const response = await fetch(`${submitter.url}/v1/samples/lease`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request_id: randomUUID(), max: 4096 }),
    });
    const { samples } = (await response.json()) as { samples: { metadata: { turn_id: string } }[] };
    const turns = samples.map((sample) => sample.metadata.turn_id);
    expect(turns).toContain(good);
    expect(turns).not.toContain(unreadable);
    expect((await fetch(`${submitter.url}/v1/stats`)).status).toBe(200);
  });

  it('erases a session among messages that nobody can read', async () => {
    const turnId = await converse((message) => message);
    await outcomeOf(turnId);
    const request = JSON.stringify({ session: sessionKey('scope', turnId) });
    const reply = await bus.core().request('rl.rpc.session.erase.v1', request, { timeout: 10_000 });
    expect(JSON.parse(reply.string())).toMatchObject({ messages: expect.any(Number) });
    expect(await bus.read(TurnCompleted, turnId)).toBeNull();
  });
});
