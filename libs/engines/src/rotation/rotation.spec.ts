import fc from 'fast-check';
import { chooseByKey } from './rendezvous';
import { Rotation, type EngineState } from './rotation';

interface Named {
  readonly name: string;
}
type Several = [Named, ...Named[]];

const A = { name: 'a:1' };
const B = { name: 'b:1' };
const C = { name: 'c:1' };
const OPTIONS = { failures: 2, restMs: 100, ejects: true };
const KEYS = Array.from({ length: 3000 }, (_, i) => `session-${i}`);

const fine = (weights: string | null = null) => ({ passed: true, weights });
const names = (engines: readonly Named[]): string[] => engines.map(({ name }) => name);

describe('chooseByKey', () => {
  it('gives a key the same engine whatever their order', () => {
    for (const key of KEYS) expect(chooseByKey(key, [A, B, C])).toBe(chooseByKey(key, [C, A, B]));
  });

  it('shares keys out evenly', () => {
    const counts = new Map<string, number>();
    for (const key of KEYS) {
      const { name } = chooseByKey(key, [A, B, C]);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - KEYS.length / 3)).toBeLessThan(KEYS.length * 0.05);
  });

  it('moves only the keys of an engine that is gone, to all others', () => {
    const moved = KEYS.filter((key) => chooseByKey(key, [A, B, C]) === B).map((key) => chooseByKey(key, [A, C]));
    for (const key of KEYS) {
      const before = chooseByKey(key, [A, B, C]);
      if (before !== B) expect(chooseByKey(key, [A, C])).toBe(before);
    }
    expect(new Set(moved)).toEqual(new Set([A, C]));
  });
});

describe('Rotation', () => {
  it('takes out an engine whose calls fail in a row, and its sessions go to another', () => {
    const rotation = new Rotation([A, B] as Several, OPTIONS);
    const key = KEYS.find((each) => rotation.choose(each) === A) ?? '';
    rotation.noteCall(A, false, 0);
    rotation.noteCall(A, true, 1);
    rotation.noteCall(A, false, 2);
    expect(rotation.choose(key)).toBe(A);
    rotation.noteCall(A, false, 3);
    expect(rotation.choose(key)).toBe(B);
  });

  it('takes it back when a check has passed and its rest is over; one failure then is enough', () => {
    const rotation = new Rotation([A, B] as Several, OPTIONS);
    rotation.noteCall(A, false, 0);
    rotation.noteCall(A, false, 0);
    rotation.noteCheck(A, fine(), 99);
    expect(names(rotation.engines)).toEqual(['b:1']);
    rotation.noteCheck(A, fine(), 100);
    expect(names(rotation.engines)).toEqual(['a:1', 'b:1']);
    rotation.noteCall(A, false, 101);
    expect(names(rotation.engines)).toEqual(['b:1']);
  });

  it('takes back at once an engine that did not answer and does', () => {
    const rotation = new Rotation([A, B] as Several, OPTIONS);
    const gone = { passed: false, weights: null };
    rotation.noteCheck(A, gone, 0);
    rotation.noteCheck(A, fine(), 1);
    rotation.noteCheck(A, gone, 2);
    expect(rotation.engines).toHaveLength(2);
    rotation.noteCheck(A, gone, 3);
    expect(rotation.engines).toEqual([B]);
    rotation.noteCheck(A, fine(), 4);
    expect(rotation.engines).toHaveLength(2);
  });

  it('takes out an engine with other weights than the right ones, until it has these', () => {
    const rotation = new Rotation([A, B] as Several, OPTIONS);
    rotation.expect('v2');
    rotation.noteCheck(A, fine('v1'), 0);
    rotation.noteCheck(B, fine('v2'), 0);
    expect(rotation.engines).toEqual([B]);
    rotation.noteCheck(A, fine('v2'), 1);
    expect(rotation.engines).toEqual([A, B]);
  });

  it('forgets with a new version what engines have said of the old one', () => {
    const rotation = new Rotation([A, B] as Several, OPTIONS);
    rotation.expect('v1');
    rotation.noteCheck(A, fine('v1'), 0);
    expect(rotation.expect('v2')).toBe(true);
    expect(rotation.expect('v2')).toBe(false);
    expect(rotation.engines).toEqual([A, B]);
  });

  it('prefers engines in order with wrong weights to sick ones, and sick ones to none', () => {
    const rotation = new Rotation([A, B] as Several, OPTIONS);
    rotation.expect('v2');
    rotation.noteCheck(A, fine('v1'), 0);
    for (const at of [0, 1]) rotation.noteCall(B, false, at);
    expect(rotation.engines).toEqual([A]);
    for (const at of [2, 3]) rotation.noteCall(A, false, at);
    expect(rotation.engines).toEqual([A, B]);
  });

  it('only watches where somebody else hands requests out', () => {
    const rotation = new Rotation([A, B] as Several, { ...OPTIONS, ejects: false });
    for (const at of [0, 1]) rotation.noteCall(A, false, at);
    expect(rotation.engines).toEqual([A, B]);
    expect(rotation.states[0]).toMatchObject({ condition: 'sick', inRotation: true });
  });

  it('tells of every change once, and of nothing else', () => {
    const told: string[] = [];
    const rotation = new Rotation([A, B] as Several, OPTIONS, ({ name, condition, inRotation }: EngineState) => {
      told.push(`${name} ${condition} ${inRotation ? 'in' : 'out'}`);
    });
    rotation.expect('v1');
    for (const engine of [A, B, A, B]) rotation.noteCheck(engine, fine('v1'), 0);
    expect(told).toEqual([]);
    rotation.noteCheck(A, fine('v0'), 1);
    rotation.noteCheck(A, fine('v0'), 2);
    rotation.noteCheck(B, fine('v0'), 3);
    rotation.noteCheck(A, fine('v1'), 4);
    expect(told).toEqual(['a:1 stale out', 'a:1 stale in', 'b:1 stale in', 'a:1 ok in', 'b:1 stale out']);
  });

  it('is never empty, and gives a session an engine of its own, whatever happens', () => {
    const engines: Several = [A, B, C];
    const engine = fc.constantFrom(A, B, C);
    const event = fc.oneof(
      fc.record({ kind: fc.constant('call' as const), engine, ok: fc.boolean() }),
      fc.record({
        kind: fc.constant('check' as const),
        engine,
        ok: fc.boolean(),
        weights: fc.constantFrom(null, '1', '2'),
      }),
      fc.record({ kind: fc.constant('expect' as const), weights: fc.constantFrom(null, '1', '2') }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.string(), (events, key) => {
        const rotation = new Rotation(engines, OPTIONS);
        for (const [at, each] of events.entries()) {
          if (each.kind === 'call') rotation.noteCall(each.engine, each.ok, at * 30);
          else if (each.kind === 'check')
            rotation.noteCheck(each.engine, { passed: each.ok, weights: each.weights }, at * 30);
          else rotation.expect(each.weights);
          const states = rotation.states.filter(({ inRotation }) => inRotation);
          expect(states.map(({ name }) => name)).toEqual(names(rotation.engines));
          expect(rotation.engines).toContain(rotation.choose(key));
          const best = rotation.states.some(({ condition }) => condition === 'ok');
          if (best) expect(new Set(states.map(({ condition }) => condition))).toEqual(new Set(['ok']));
        }
      }),
    );
  });
});
