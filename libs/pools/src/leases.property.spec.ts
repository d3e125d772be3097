import fc from 'fast-check';
import { remember, REMEMBERED_ANSWERS, REMEMBERED_EXTENDS, REMEMBERED_TRAINERS } from './answers';
import { LeaseError, LeaseExpiredError, LeaseFinishedError } from './lease-error';
import { ackLease, extendLease, nackLease, takeLease } from './leases';
import { INITIAL_POLICY_STATE, parsePolicyState, type LeaseAnswer, type PolicyState } from './policy-state';
import { expandRanges, inRanges } from './ranges';
import { leasedSequences, waitingSequences, type SampleView } from './sample-view';

const MAX_TRAINERS = 2;
const LEASE_MS = 100;

type Step =
  | { readonly do: 'publish'; readonly reasons: number }
  | { readonly do: 'pass'; readonly millis: number }
  | { readonly do: 'lease'; readonly trainer: number; readonly max: number }
  | { readonly do: 'end'; readonly operation: 'ack' | 'nack' | 'extend'; readonly which: number }
  | { readonly do: 'repeat'; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('publish' as const), reasons: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), millis: fc.nat({ max: 80 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('lease' as const),
      trainer: fc.nat({ max: 3 }),
      max: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      operation: fc.constantFrom('ack' as const, 'nack' as const, 'extend' as const),
      which: fc.nat(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), which: fc.nat() }) },
);

interface Sent {
  readonly run: () => LeaseAnswer | null;
  readonly answer: LeaseAnswer;
}

/** Trainers, a stream and two followers of it, one of which lags behind: what the pure operations are used for. */
class Model {
  state: PolicyState = INITIAL_POLICY_STATE;
  now = 1_000;
  readonly samples: number[] = [];
  readonly trained = new Set<number>();
  private sequence = 0;
  private requests = 0;
  private readonly leases: string[] = [];
  private readonly sent: Sent[] = [];

  view(lag = 0): SampleView {
    const seenUpTo = Math.max(0, this.sequence - lag);
    return {
      samples: this.samples.filter((sample) => sample <= seenUpTo && !inRanges(this.state.done, sample)),
      seenUpTo,
      streamCreatedAt: 1,
    };
  }

  run(next: Step): void {
    switch (next.do) {
      case 'publish':
        this.sequence += next.reasons + 1;
        this.samples.push(this.sequence);
        return;
      case 'pass':
        this.now += next.millis;
        return;
      case 'lease':
        this.lease(next.trainer, next.max);
        return;
      case 'end':
        this.end(next.operation, next.which);
        return;
      case 'repeat': {
        const request = this.sent.slice(-8)[next.which % 8];
        if (request !== undefined && !this.isForgotten(request)) this.repeat(request);
      }
    }
  }

  /** Gets the same answer, or is told that the lease has ended: then its samples may be somebody else's. */
  private repeat({ run, answer }: Sent): void {
    try {
      expect(run()).toEqual(answer);
      if (answer.operation === 'lease') expect(this.liveLeases()).toContain(answer.leaseId);
    } catch (error) {
      if (!(error instanceof LeaseExpiredError || error instanceof LeaseFinishedError)) throw error;
      expect(answer.operation).toBe('lease');
      expect(this.liveLeases()).not.toContain(answer.leaseId);
    }
  }

  /** Of requests to extend only the last few of a trainer are remembered. */
  private isForgotten(request: Sent): boolean {
    const isExtend = ({ answer }: Sent): boolean =>
      answer.operation === 'extend' && answer.trainer === request.answer.trainer;
    const later = this.sent.slice(this.sent.indexOf(request) + 1).filter(isExtend).length;
    return isExtend(request) && later >= REMEMBERED_EXTENDS;
  }

  private liveLeases(): string[] {
    return this.state.leases.filter((lease) => this.now < lease.expiresAt).map(({ id }) => id);
  }

  private lease(trainer: number, max: number): void {
    this.requests += 1;
    const requestId = `r${this.requests}`;
    const before = new Set([...leasedSequences(this.state, this.now), ...this.trained]);
    const answer = this.send(() => {
      const { state, result } = takeLease(
        this.state,
        { requestId, leaseId: `l${requestId}`, trainer: `t${trainer}`, asked: '', max, min: 1, leaseMs: LEASE_MS },
        { now: this.now, view: this.view(trainer), maxTrainers: MAX_TRAINERS, maxStaleness: 2 },
      );
      this.state = state;
      return result;
    });
    if (answer === null) return;
    for (const sequence of expandRanges(answer.sequences)) {
      expect(before.has(sequence)).toBe(false);
      expect(this.samples).toContain(sequence);
    }
    this.leases.push(answer.leaseId);
  }

  private end(operation: 'ack' | 'nack' | 'extend', which: number): void {
    const leaseId = this.leases.slice(-6)[which % 6];
    if (leaseId === undefined) return;
    this.requests += 1;
    const request = { requestId: `r${this.requests}`, leaseId, trainer: 'address', leaseMs: LEASE_MS };
    const held = this.state.leases.find(({ id }) => id === leaseId)?.sequences ?? [];
    const answer = this.send(() => {
      const { state, result } =
        operation === 'ack'
          ? ackLease(this.state, request, this.view(which % 4))
          : operation === 'nack'
            ? nackLease(this.state, request)
            : extendLease(this.state, request, this.now);
      this.state = state;
      return result;
    });
    if (operation !== 'ack' || answer === null) return;
    for (const sequence of expandRanges(held)) {
      expect(this.trained.has(sequence)).toBe(false);
      this.trained.add(sequence);
    }
  }

  private send<Answer extends LeaseAnswer | null>(run: () => Answer): Answer | null {
    try {
      const answer = run();
      if (answer !== null) this.sent.push({ run, answer });
      return answer;
    } catch (error) {
      if (error instanceof LeaseError) return null;
      throw error;
    }
  }
}

describe('leases under any order of operations, trainers, expiries and repeats', () => {
  it('hand a sample to one trainer at a time, never again once it was acknowledged, and lose none', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const model = new Model();
        for (const next of steps) {
          model.run(next);
          const { state, now } = model;
          const leased = leasedSequences(state, now);
          expect(new Set(leased).size).toBe(leased.length);
          const trainers = state.leases.filter((lease) => now < lease.expiresAt).map((lease) => lease.trainer);
          expect(new Set(trainers).size).toBeLessThanOrEqual(MAX_TRAINERS);
          const waiting = waitingSequences(state, model.view(), now);
          const together = [...leased, ...waiting, ...model.trained].sort((a, b) => a - b);
          expect(together).toEqual(model.samples);
        }
        expect(parsePolicyState(JSON.parse(JSON.stringify(model.state)))).toEqual(model.state);
      }),
      { numRuns: 300 },
    );
  });

  it('keep the document small over ten thousand turns, half of them without a sample', () => {
    let state = INITIAL_POLICY_STATE;
    const samples: number[] = [];
    for (let batch = 1; batch <= 300; batch += 1) {
      for (let i = 0; i < 16; i += 1) samples.push((batch - 1) * 32 + 2 * i + 1);
      const view: SampleView = { samples, seenUpTo: batch * 32, streamCreatedAt: 1 };
      const trainer = `trainer-${batch % 4}`;
      const request = { trainer, asked: '16 16', max: 16, min: 16, leaseMs: LEASE_MS };
      const names = { requestId: `request-with-a-long-name-${batch}`, leaseId: `lease-with-a-long-name-${batch}` };
      ({ state } = takeLease(state, { ...request, ...names }, { now: batch, view, maxTrainers: 1, maxStaleness: 2 }));
      const on = { trainer, leaseId: names.leaseId };
      for (let i = 0; i < 20; i += 1) {
        ({ state } = extendLease(state, { ...on, requestId: `extend-${batch}-${i}`, leaseMs: LEASE_MS }, batch));
      }
      ({ state } = ackLease(state, { ...on, requestId: `acknowledge-${batch}` }, view));
    }
    expect(state.done).toEqual([[1, 300 * 32 - 1]]);
    expect(JSON.stringify(state).length).toBeLessThan(20_000);
  });

  it('bound what is remembered, for any number of trainers and the longest names', () => {
    const longest = (name: string): string => name.padEnd(128, '-');
    let state = INITIAL_POLICY_STATE;
    for (let i = 0; i < 4000; i += 1) {
      const trainer = longest(`trainer-${Math.floor(i / 40)}`);
      const answer = { trainer, requestId: longest(`r${i}`), leaseId: `l${i}`, asked: '4096 4096 3600000', version: i };
      state = remember(state, { ...answer, operation: i % 2 === 0 ? 'lease' : 'extend', samples: 4096, expiresAt: i });
    }
    expect(state.answers).toHaveLength(REMEMBERED_TRAINERS * (REMEMBERED_ANSWERS + REMEMBERED_EXTENDS));
    expect(JSON.stringify(state).length).toBeLessThan(700_000);
  });
});
