import { dispatchSignals, type Dispatch, type Method } from './dispatch-signals';
import type { Score } from './score';

const sample = (reward: number, usesTeacher: boolean): Dispatch => ({ kind: 'sample', reward, usesTeacher });
const none = (reason: 'neutral' | 'not_judged' | 'no_hint'): Dispatch => ({ kind: 'none', reason });

describe('dispatchSignals', () => {
  it.each<[Method, Score | null, boolean, Dispatch]>([
    ['binary', 1, false, sample(1, false)],
    ['binary', -1, false, sample(-1, false)],
    ['binary', 0, false, none('neutral')],
    ['binary', null, false, none('not_judged')],
    ['binary', 1, true, sample(1, false)],
    ['binary', 0, true, none('neutral')],
    ['opd', 1, true, sample(0, true)],
    ['opd', null, true, sample(0, true)],
    ['opd', 1, false, none('no_hint')],
    ['opd', null, false, none('no_hint')],
    ['hybrid', 1, true, sample(1, true)],
    ['hybrid', -1, true, sample(-1, true)],
    ['hybrid', 0, true, sample(0, true)],
    ['hybrid', null, true, sample(0, true)],
    ['hybrid', 1, false, sample(1, false)],
    ['hybrid', -1, false, sample(-1, false)],
    ['hybrid', 0, false, none('neutral')],
    ['hybrid', null, false, none('not_judged')],
  ])('%s with score %j and a teacher %j', (method, score, hasTeacher, expected) => {
    expect(dispatchSignals(method, { score, hasTeacher })).toEqual(expected);
  });

  it.each<[Method, number | null, boolean, Dispatch]>([
    ['binary', 0, false, sample(0, false)],
    ['binary', 0.25, false, sample(0.25, false)],
    ['binary', null, false, none('not_judged')],
    ['hybrid', 0, false, sample(0, false)],
    ['hybrid', 0, true, sample(0, true)],
    ['hybrid', null, true, sample(0, true)],
    ['hybrid', null, false, none('not_judged')],
  ])(
    '%s with a relative score %j and a teacher %j: 0 is a reward like any other',
    (method, score, hasTeacher, expected) => {
      expect(dispatchSignals(method, { score, hasTeacher, isRelative: true })).toEqual(expected);
    },
  );
});
