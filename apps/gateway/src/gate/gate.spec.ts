import { INITIAL_POLICY_STATE, type PolicyState } from '@app/pools';
import { OpenAiError } from '../errors/openai-error';
import { Gate, type GateObserver } from './gate';
import { emptyChunk, whileStill } from './still-stream';

const NOW = Date.parse('2026-11-30T06:31:00Z');
const HOLD_MS = 45_000;

/** The policy state as a replica follows it. */
class Followed {
  current: PolicyState = INITIAL_POLICY_STATE;
  private readonly listeners = new Set<(state: PolicyState) => void>();

  now(): number {
    return Date.now();
  }

  onChange(listener: (state: PolicyState) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  become(change: Partial<PolicyState>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener(this.current);
  }
}

const never = new AbortController().signal;

describe('Gate', () => {
  let policy: Followed;
  const gateWith = (state: PolicyState['gate'], observer: GateObserver = {}): Gate => {
    policy = new Followed();
    policy.current = { ...policy.current, gate: state };
    return new Gate(policy, observer);
  };
  const refusalOf = async (gate: Gate, holdMs = 0): Promise<OpenAiError> => {
    const [result] = await Promise.all([
      gate.enter(never, holdMs).catch((error: unknown) => error),
      jest.advanceTimersByTimeAsync(holdMs),
    ]);
    if (result instanceof OpenAiError) return result;
    throw new TypeError('the gate was open');
  };

  beforeEach(() => jest.useFakeTimers({ now: NOW }));
  afterEach(() => jest.useRealTimers());

  it.each([
    ['while weights are served', { state: 'serving' }],
    ['before anybody has closed it', INITIAL_POLICY_STATE.gate],
    ['once the holder’s lease has ended', { state: 'updating', until: NOW }],
    ['long after that', { state: 'draining', until: NOW - 60_000 }],
  ] as const)('is open %s', async (_when, state) => {
    const gate = gateWith(state);
    expect(gate.isClosed).toBe(false);
    await gate.enter(never, 0);
    expect(gate.running).toBe(1);
    gate.leave();
    expect(gate.running).toBe(0);
  });

  it.each([
    ['draining', { state: 'draining', until: NOW + 3000 }, '3'],
    ['updating', { state: 'updating', until: NOW + 3000 }, '3'],
    ['updating for long', { state: 'updating', until: NOW + 600_000 }, '10'],
    ['updating for a moment', { state: 'updating', until: NOW + 1 }, '1'],
    ['updating without an end', { state: 'updating' }, '10'],
  ] as const)(
    'refuses while %s, once nobody may wait any more, and says when to come again',
    async (_w, state, after) => {
      const gate = gateWith(state);
      const error = await refusalOf(gate);
      expect(error.status).toBe(503);
      expect(error.headers).toEqual({ 'retry-after': after });
      expect(gate.running).toBe(0);
      expect(error.body).toEqual({
        detail: 'submission paused for weight update',
        error: {
          message: 'the model is being updated, try again shortly',
          type: 'server_error',
          param: null,
          code: 'weight_update',
        },
      });
    },
  );

  it('refuses past the time that a request may wait, not before', async () => {
    const ends: unknown[] = [];
    const gate = gateWith({ state: 'updating', until: NOW + 600_000 }, { onWaited: (...end) => ends.push(end) });
    const error = await refusalOf(gate, HOLD_MS);
    expect(error.code).toBe('weight_update');
    expect(ends).toEqual([['refused', expect.closeTo(45, 0)]]);
  });

  it('lets those who wait in when it opens, in the order in which they came', async () => {
    const gate = gateWith({ state: 'updating', until: NOW + 600_000 });
    const order: number[] = [];
    const waiting = [1, 2, 3].map((who) => gate.enter(never, HOLD_MS).then(() => order.push(who)));
    await jest.advanceTimersByTimeAsync(20_000);
    expect(order).toEqual([]);
    policy.become({ gate: { state: 'serving' }, version: 1 });
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(gate.running).toBe(3);
  });

  it('opens by itself when the lease of the update is over, with no word from anybody', async () => {
    const gate = gateWith({ state: 'updating', until: NOW + 5000 });
    const entered = gate.enter(never, HOLD_MS);
    await jest.advanceTimersByTimeAsync(4999);
    expect(gate.running).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    await entered;
    expect(gate.running).toBe(1);
  });

  it('follows a lease that was extended meanwhile', async () => {
    const gate = gateWith({ state: 'updating', until: NOW + 1000 });
    const entered = gate.enter(never, HOLD_MS);
    policy.become({ gate: { state: 'updating', until: NOW + 3000 } });
    await jest.advanceTimersByTimeAsync(2999);
    expect(gate.running).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    await entered;
  });

  it('keeps nobody whose client has gone', async () => {
    const gate = gateWith({ state: 'updating', until: NOW + 600_000 });
    const client = new AbortController();
    const entered = gate.enter(client.signal, HOLD_MS);
    client.abort();
    await expect(entered).rejects.toMatchObject({ status: 499 });
    expect(gate.running).toBe(0);
  });

  it('measures the time from a new version to the first piece of an answer', () => {
    const seconds: number[] = [];
    const gate = gateWith({ state: 'serving' }, { onNewWeights: (each) => seconds.push(each) });
    policy.become({ version: 4 });
    gate.noteAnswer();
    policy.become({ version: 5 });
    jest.advanceTimersByTime(250);
    gate.noteAnswer();
    gate.noteAnswer();
    expect(seconds).toEqual([0.25]);
    expect(gate.policyVersion).toBe(5);
  });
});

describe('a stream that stands still', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW }));
  afterEach(() => jest.useRealTimers());

  it('gets a chunk without choices every 15 s while the gate is closed', () => {
    const gate = { isClosed: true };
    const beats: number[] = [];
    const stop = whileStill(gate, () => beats.push(Date.now() - NOW));
    jest.advanceTimersByTime(31_000);
    gate.isClosed = false;
    jest.advanceTimersByTime(30_000);
    gate.isClosed = true;
    stop();
    jest.advanceTimersByTime(30_000);
    expect(beats).toEqual([15_000, 30_000]);
    expect(JSON.parse(emptyChunk('t', 'm').slice('data: '.length))).toEqual({
      id: 't',
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model: 'm',
      choices: [],
    });
  });
});
