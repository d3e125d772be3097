import type { TurnRow } from '@app/contracts';
import { findProblems, type LoopState } from './problems';

const MINUTE = 60_000;
const row = (more: Partial<TurnRow>): TurnRow =>
  ({ kind: 'main', fate: 'sample', followed: true, judgedAt: 1, completedAt: 1, settledAt: 1, ...more }) as TurnRow;
const times = (count: number, more: Partial<TurnRow>): TurnRow[] => Array.from({ length: count }, () => row(more));
const state = (more: Partial<LoopState> = {}): LoopState => ({
  rows: times(6, {}),
  now: 60 * MINUTE,
  waiting: 3,
  leased: 0,
  batchSize: 16,
  queueSize: 100,
  asksJudge: true,
  isEvaluation: false,
  ...more,
});

test('nothing is wrong with a loop that runs', () => {
  expect(findProblems(state())).toEqual([]);
  expect(findProblems(state({ rows: [] }))).toEqual([]);
});

test.each<[string, Partial<LoopState>, RegExp]>([
  ['a judge that does not come', { rows: [row({ fate: 'open', judgedAt: null })] }, /1 turns .* judge/],
  ['a judge without verdicts', { rows: times(6, { fate: 'not_judged' }) }, /6 of the newest 6 turns got no verdict/],
  ['an engine without ids', { rows: times(6, { fate: 'no_token_ids' }) }, /without token ids/],
  ['answers that do not fit together', { rows: times(6, { fate: 'incomplete' }) }, /incomplete/],
  ['a batch that nobody takes', { waiting: 16 }, /no trainer takes it/],
  ['a queue that is full', { waiting: 100, leased: 1 }, /queue is full/],
  ['votes that train nothing', { isEvaluation: true }, /eval_mode/],
])('tells of %s, and what to do', (_, more, what) => {
  const problems = findProblems(state(more));
  expect(problems).toHaveLength(1);
  expect(problems[0]!.what).toMatch(what);
  expect(problems[0]!.remedy).not.toBe('');
});

test.each<[string, Partial<LoopState>]>([
  ['a judge that nobody asks', { rows: [row({ fate: 'open', judgedAt: null })], asksJudge: false }],
  ['a few turns', { rows: times(4, { fate: 'not_judged' }) }],
  ['a batch that has just become whole', { waiting: 16, rows: [row({ settledAt: 58 * MINUTE })] }],
  ['a batch while a trainer has another', { waiting: 16, leased: 16 }],
])('makes nothing of %s', (_, more) => {
  expect(findProblems(state(more))).toEqual([]);
});
