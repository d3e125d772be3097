import { readVerdict } from './verdict';

describe('readVerdict', () => {
  it.each([
    ['boxed', 'The user went on. \\boxed{1}', 'stop', 1],
    ['boxed', 'It failed. \\boxed{-1}', 'stop', -1],
    ['boxed', 'Nothing said. \\boxed{0}', null, 0],
    ['boxed', 'The user liked it.', 'stop', null],
    ['boxed', '', 'stop', null],
    ['boxed', '{"score": 1}', 'stop', null],
    ['boxed', 'SCORE is \\boxed{SCORE}', 'stop', null],
    ['boxed', '<think>\\boxed{-1} or not', 'length', null],
    ['boxed', 'First I would say \\boxed{1}, but then', 'length', null],
    ['json_schema', '{"reason": "went on", "score": 1}', 'stop', 1],
    ['json_schema', '{"score": -1}', 'stop', -1],
    ['json_schema', '{"score": 2}', 'stop', null],
    ['json_schema', '{"reason": "cut', 'length', null],
    ['json_schema', 'It is good. \\boxed{1}', 'stop', null],
  ] as const)('%s: reads %j that ended by %j as %j', (form, text, finishReason, expected) => {
    expect(readVerdict(form, { text, finishReason })).toBe(expected);
  });
});
