import { describeSettings, settingsTable } from './describe-settings';

test('describes each setting with path, variables, default and what is allowed', () => {
  expect(describeSettings().find((row) => row.path === 'judge.votes')).toEqual({
    path: 'judge.votes',
    env: ['OPENCLAW_RL_JUDGE_VOTES', 'PRM_M'],
    default: '`3`',
    allowed: 'a whole number from 1 to 64',
    about: 'Votes per turn',
  });
});

test('gives no two settings the same variable', () => {
  const names = describeSettings().flatMap((row) => row.env);
  expect(new Set(names).size).toBe(names.length);
});

test('makes a table of five columns', () => {
  const lines = settingsTable().split('\n');
  expect(lines).toHaveLength(describeSettings().length + 2);
  for (const line of lines) expect(line.split('|')).toHaveLength(7);
});
