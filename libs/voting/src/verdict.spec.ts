import { readVerdict } from './verdict';

describe('readVerdict', () => {
  it.each([
    ['boxed', 'The user went on. \\boxed{1}', 1],
    ['boxed', 'It failed. \\boxed{-1}', -1],
    ['boxed', 'Nothing said. \\boxed{0}', 0],
    ['boxed', 'The user liked it.', null],
    ['boxed', '', null],
    ['boxed', '{"score": 1}', null],
    ['boxed', 'SCORE is \\boxed{SCORE}', null],
    ['json_schema', '{"reason": "went on", "score": 1}', 1],
    ['json_schema', '{"score": -1}', -1],
    ['json_schema', '{"score": 2}', null],
    ['json_schema', 'It is good. \\boxed{1}', null],
  ] as const)('%s: reads %j as %j', (form, text, expected) => {
    expect(readVerdict(form, text)).toBe(expected);
  });
});
