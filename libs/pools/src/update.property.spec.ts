import fc from 'fast-check';
import { LeaseError } from './lease-error';
import { takeLease } from './leases';
import {
  INITIAL_POLICY_STATE,
  isGateClosed,
  parsePolicyState,
  type EndedUpdate,
  type PolicyState,
} from './policy-state';
import { expandRanges, inRanges } from './ranges';
import { leasedSequences, waitingSequences, type SampleView } from './sample-view';
import {
  abortUpdate,
  beginUpdate,
  commitUpdate,
  expiredUpdateOf,
  extendUpdate,
  finishUpdate,
  recoverUpdate,
  startUpdating,
} from './update';

const LEASE_MS = 100;
const SAMPLES = 40;

const ACTS = [
  'lease',
  'begin',
  'stand',
  'load',
  'commit',
  'abort',
  'extend',
  'recover',
  'finish',
  'late',
  'pass',
] as const;
const step = fc.record({ act: fc.constantFrom(...ACTS), who: fc.nat({ max: 2 }), millis: fc.nat({ max: 60 }) });

/** Trainers that may die at any moment, one door, engines that only a trainer with a token changes. */
class Model {
  state: PolicyState = INITIAL_POLICY_STATE;
  now = 1_000;
  /** Name of the weights in the engines. */
  engines = 'default';
  readonly tokens: string[] = [];
  readonly trainedIn = new Map<number, number>();
  readonly versions: number[] = [];
  private names = 0;
  private readonly leases: string[][] = [[], [], []];

  get view(): SampleView {
    const samples = Array.from({ length: SAMPLES }, (_, i) => i + 1).filter((s) => !inRanges(this.state.done, s));
    return { samples, seenUpTo: SAMPLES, streamCreatedAt: 1 };
  }

  run({ act, who, millis }: { act: (typeof ACTS)[number]; who: number; millis: number }): void {
    const before = this.state;
    try {
      this.act(act, who, millis);
    } catch (error) {
      if (!(error instanceof LeaseError)) throw error;
      expect(this.state).toBe(before);
    }
  }

  private act(act: (typeof ACTS)[number], who: number, millis: number): void {
    const context = { now: this.now, view: this.view };
    const token = this.tokens.at(-1) ?? 'none';
    const name = `n${(this.names += 1)}`;
    const newVersion = this.engines === (this.state.engineVersion ?? 'default') ? null : this.engines;
    switch (act) {
      case 'pass':
        this.now += millis;
        return;
      case 'lease': {
        const request = { requestId: name, leaseId: name, trainer: `t${who}`, asked: '', max: 3, min: 1, leaseMs: 150 };
        const { state, result } = takeLease(this.state, request, { ...context, maxTrainers: 3, maxStaleness: 99 });
        this.state = state;
        if (result !== null) this.leases[who]?.push(name);
        return;
      }
      case 'begin': {
        const leaseIds = this.leases[who]?.splice(0) ?? [];
        const request = { requestId: name, trainer: `t${who}`, asked: '', leaseIds, leaseMs: LEASE_MS, secret: name };
        const { state, result } = beginUpdate(this.state, request, { ...context, maxStaleness: null });
        this.state = state;
        this.tokens.push(result.token);
        return;
      }
      case 'stand':
        this.state = startUpdating(
          this.state,
          { token, pause: 'in_place', engineVersion: this.engines },
          this.now,
        ).state;
        return;
      case 'load':
        // Only who holds the gate loads weights; it may die right after.
        if (this.state.gate.state === 'updating' && isGateClosed(this.state, this.now)) this.engines = `w${name}`;
        return;
      case 'commit':
        this.end(commitUpdate(this.state, { token, engineVersion: this.engines, metrics: {} }, context));
        return;
      case 'late':
        this.end(
          commitUpdate(this.state, { token: this.tokens.at(-2) ?? 'none', engineVersion: 'x', metrics: {} }, context),
        );
        return;
      case 'abort':
        this.end(abortUpdate(this.state, { token, newVersion, reason: 'given up' }, context));
        return;
      case 'extend':
        this.state = extendUpdate(this.state, { token, leaseMs: LEASE_MS }, this.now).state;
        return;
      case 'recover': {
        const expired = expiredUpdateOf(this.state, this.now);
        if (expired !== null) this.end(recoverUpdate(this.state, { token: expired.token, newVersion }, context));
        return;
      }
      case 'finish':
        this.state = finishUpdate(this.state, this.state.unfinished?.token ?? 'none');
    }
  }

  private end({ state, result }: { state: PolicyState; result: EndedUpdate | null }): void {
    if (state === this.state || result === null) return;
    const before = this.state;
    this.state = state;
    expect(state.version - before.version).toBe(
      result.outcome === 'committed' || result.outcome === 'recovered' ? 1 : 0,
    );
    if (state.version === before.version) return;
    this.versions.push(state.version);
    for (let sequence = 1; sequence <= SAMPLES; sequence += 1) {
      if (!inRanges(state.done, sequence) || inRanges(before.done, sequence)) continue;
      expect(this.trainedIn.has(sequence)).toBe(false);
      this.trainedIn.set(sequence, state.version);
    }
  }
}

describe('updates under any order of begins, deaths, late commits and recoveries', () => {
  it('skip no version, train no sample twice, lose none, and never keep the gate shut', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        const model = new Model();
        for (const next of steps) {
          model.run(next);
          const { state, now } = model;
          const leased = leasedSequences(state, now);
          const waiting = waitingSequences(state, model.view, now);
          expect(new Set(leased).size).toBe(leased.length);
          expect([...leased, ...waiting, ...model.trainedIn.keys()].sort((a, b) => a - b)).toEqual(
            Array.from({ length: SAMPLES }, (_, i) => i + 1),
          );
        }
        expect(model.versions).toEqual(model.versions.map((_, i) => i + 1));
        expect(model.state.acknowledged).toBe(model.trainedIn.size);
        expect(parsePolicyState(JSON.parse(JSON.stringify(model.state)))).toEqual(model.state);
        expect(new Set(model.tokens).size).toBe(model.tokens.length);
        expect(isGateClosed(model.state, model.now + LEASE_MS)).toBe(false);
        expect(expandRanges(model.state.done).length).toBe(model.trainedIn.size);
      }),
      { numRuns: 300 },
    );
  });
});
