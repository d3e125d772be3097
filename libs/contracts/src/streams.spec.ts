import { TurnHinted } from './hint';
import { PolicyAnswered, PolicyUpdated } from './policy';
import { CountRunning, EraseSession } from './rpc';
import { SETTLE_REASONS } from './reasons';
import { BUCKETS, CONSUMERS, STREAM_NAMES, STREAMS, type ConsumerDefinition } from './streams';
import { EXCLUSIONS, SessionClosed, TurnArrived, TurnCompleted, TurnFollowed } from './turn';
import { DeadLetter, FeedbackGiven, SessionEnded, TurnJudged, TurnSettled } from './verdict';

/** Every message kind, with the number of ids in its subject. */
const MESSAGES = [
  [TurnArrived, 1],
  [TurnCompleted, 1],
  [SessionClosed, 1],
  [TurnFollowed, 1],
  [TurnJudged, 1],
  [TurnHinted, 1],
  [FeedbackGiven, 2],
  [SessionEnded, 2],
  [TurnSettled, 1],
  [DeadLetter, 2],
  [PolicyUpdated, 1],
  [PolicyAnswered, 1],
] as const;

const ALL = MESSAGES.map(([message]) => message);

/** Whether a NATS subject filter takes a subject. */
const takes = (filter: string, subject: string): boolean => {
  const parts = filter.split('.');
  const tokens = subject.split('.');
  if (parts.at(-1) === '>')
    return tokens.length >= parts.length && parts.slice(0, -1).every((p, i) => p === '*' || p === tokens[i]);
  return parts.length === tokens.length && parts.every((part, i) => part === '*' || part === tokens[i]);
};

const streamsOf = (subject: string): string[] =>
  STREAM_NAMES.filter((name) => STREAMS[name].subjects.some((filter) => takes(filter, subject)));

describe('streams', () => {
  it.each(MESSAGES)('hold message %#, each in the one that its definition names', (message, ids) => {
    const subject = message.subject(...['a', 'b'].slice(0, ids));
    expect(streamsOf(subject)).toEqual([message.stream]);
    expect(takes(message.filter, subject)).toBe(true);
    expect(message.matches(subject)).toBe(true);
    expect(ALL.filter((other) => other.matches(subject))).toEqual([message]);
  });

  it.each(STREAM_NAMES.flatMap((name) => STREAMS[name].subjects.map((subject) => [name, subject] as const)))(
    '%s: %s belongs to a message kind',
    (name, filter) => {
      const owners = MESSAGES.filter(([message, ids]) => filter === message.name + '.*'.repeat(ids));
      expect(owners.map(([message]) => message.stream)).toEqual([name]);
    },
  );

  it('have names in capitals and leave room in the store for the buckets', () => {
    for (const name of STREAM_NAMES) expect(name).toMatch(/^RL_[A-Z]+$/);
    const shares = STREAM_NAMES.map((name) => STREAMS[name].shareOfStore).reduce((sum, share) => sum + share, 0);
    expect(shares).toBeLessThanOrEqual(0.8 + 1e-9);
  });

  it('keep what was settled at least as long as what it is settled from', () => {
    for (const name of ['RL_TURNS', 'RL_FOLLOWS', 'RL_VERDICTS'] as const) {
      expect(STREAMS.RL_SAMPLES.maxAgeSeconds).toBeGreaterThanOrEqual(STREAMS[name].maxAgeSeconds);
    }
  });
});

describe('subjects', () => {
  it.each(ALL.map((message) => [message.name] as const))('%s is domain, entity, past tense and version', (name) => {
    expect(name).toMatch(/^rl\.[a-z]+\.[a-z]+\.v1$/);
  });

  it('are different for every kind, and none is a question', () => {
    const names = [...ALL.map((message) => message.name), EraseSession.subject, CountRunning.subject];
    expect(new Set(names).size).toBe(names.length);
    for (const { subject } of [EraseSession, CountRunning]) expect(streamsOf(subject)).toEqual([]);
  });
});

describe('consumers', () => {
  const APPS = ['session-tracker', 'prm-judge', 'opd-teacher', 'sample-submitter'];
  const consumers: readonly (readonly [string, ConsumerDefinition])[] = Object.entries(CONSUMERS);

  it.each(consumers)('%s is named after its app and reads what its stream holds', (_name, consumer) => {
    expect(APPS).toContain(consumer.durable.replace(/-records$/, ''));
    expect(STREAM_NAMES).toContain(consumer.stream);
    const read = ALL.filter((message) => takes(consumer.filter, message.subject('a', 'b')));
    expect(new Set(read.map((message) => message.stream))).toContain(consumer.stream);
    // A message of a later version is left for who can read it.
    for (const message of ALL) expect(takes(consumer.filter, `${message.name.replace('.v1', '.v2')}.a`)).toBe(false);
    expect(consumer.ackWaitSeconds).toBeGreaterThan(0);
    expect(consumer.maxAckPending).toBeGreaterThan(0);
  });

  it('are each one of their stream', () => {
    const names = consumers.map(([, { stream, durable }]) => `${stream} ${durable}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('buckets', () => {
  it('have names of their own', () => {
    const names = Object.values(BUCKETS).map((bucket) => bucket.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^rl-[a-z]+$/);
  });

  it('keep chains as long as the turns they lead to, and the policy for ever', () => {
    expect(BUCKETS.chains.ttlSeconds).toBe(STREAMS.RL_TURNS.maxAgeSeconds);
    expect(BUCKETS.policy.ttlSeconds).toBe(0);
  });
});

describe('reasons', () => {
  it('are a closed list that holds every exclusion once', () => {
    expect(new Set(SETTLE_REASONS).size).toBe(SETTLE_REASONS.length);
    expect(SETTLE_REASONS).toEqual(expect.arrayContaining([...EXCLUSIONS]));
  });
});

describe('EraseSession', () => {
  it('asks and answers in the shapes it is defined with', () => {
    const request = EraseSession.encodeRequest({ session: 'abc' });
    expect(EraseSession.decodeRequest(request)).toEqual({ session: 'abc' });
    const reply = EraseSession.encodeReply({ messages: 2, records: 0 });
    expect(EraseSession.decodeReply(reply)).toEqual({ messages: 2, records: 0 });
  });

  it.each(['{}', '{"session":"a.b"}', '{"session":7}', 'null'])('refuses the question %s', (text) => {
    expect(() => EraseSession.decodeRequest(text)).toThrow('rl.rpc.session.erase.v1');
  });

  it.each(['{"messages":-1,"records":0}', '{"messages":1.5,"records":0}', '{"messages":1}'])(
    'refuses the reply %s',
    (text) => {
      expect(() => EraseSession.decodeReply(text)).toThrow('rl.rpc.session.erase.v1');
    },
  );
});
