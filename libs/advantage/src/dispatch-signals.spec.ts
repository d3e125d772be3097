import { dispatchSignals, type Dispatch, type Method } from './dispatch-signals';
import golden from './fixtures/dispatch.json';
import type { Score } from './score';

interface Case {
  readonly name: string;
  readonly method: Method;
  readonly score: Score | null;
  readonly hasTeacher: boolean;
  readonly dispatch: Dispatch;
}

const cases = golden as readonly Case[];

const sample = (reward: number, usesTeacher: boolean): Dispatch => ({ kind: 'sample', reward, usesTeacher });
const none = (reason: 'neutral' | 'not_judged' | 'no_hint'): Dispatch => ({ kind: 'none', reason });

describe('dispatchSignals', () => {
  it.each(cases)('$name', ({ method, score, hasTeacher, dispatch }) => {
    expect(dispatchSignals(method, { score, hasTeacher })).toEqual(dispatch);
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
