import { parseScore, parseScoreJson } from './boxed-score';
import verdicts from './fixtures/verdicts.json';

describe('parseScore', () => {
  it.each(verdicts as readonly { name: string; text: string; score: number | null }[])('$name', ({ text, score }) => {
    expect(parseScore(text)).toBe(score);
  });

  it.each([
    ['a decision after the repeated rubric', 'Assign \\boxed{1}, \\boxed{-1} or \\boxed{0}. Mine: \\boxed{1}', 1],
    [
      'the rubric repeated twice',
      '\\boxed{1} \\boxed{-1} \\boxed{0} and again \\boxed{1}, \\boxed{-1}, \\boxed{0}',
      null,
    ],
    ['the rubric repeated after a decision', '\\boxed{1}. The scale was \\boxed{1}, \\boxed{-1}, \\boxed{0}.', null],
    ['a decision equal to the end of the rubric', '\\boxed{1} \\boxed{-1} \\boxed{0}, so \\boxed{0}', 0],
    ['a last box that was cut off', '\\boxed{1}, no: \\boxed{-1', null],
    ['an empty last box', '\\boxed{1} \\boxed{}', null],
    ['spaces inside \\text', '\\boxed{ \\text{ -1 } }', -1],
    ['a decimal that is no integer', '\\boxed{0.5}', null],
    ['1.00', '\\boxed{1.00}', 1],
    ['a decision before the thoughts', '\\boxed{1} <think>or \\boxed{-1}?</think>', 1],
    ['thoughts that began in the prompt', 'maybe \\boxed{-1}</think>\\boxed{1}', 1],
    ['a decision only in thoughts that began in the prompt', 'so \\boxed{1}</think>done', null],
    ['a second end of thoughts', '\\boxed{1} <think>a</think> b</think>done', null],
    ['thoughts cut off after a decision', '\\boxed{1} <think>wait', null],
    ['a box inside a hint', '\\boxed{-1} [HINT_START]use \\boxed{1}[HINT_END]', -1],
    ['a box inside a hint that never ends', '\\boxed{-1} [HINT_START]use \\boxed{1}', -1],
    ['a box after a hint', '[HINT_START]use \\boxed{1}[HINT_END] \\boxed{-1}', -1],
    ['a box only inside a hint', '[HINT_START]\\boxed{1}[HINT_END]', null],
  ])('%s', (_name, text, score) => {
    expect(parseScore(text)).toBe(score);
  });

  it('reads a very long answer in linear time', () => {
    const text = '\\boxed{'.repeat(200_000) + '<think></think>'.repeat(50_000) + '[HINT_START]'.repeat(50_000);
    const started = process.cpuUsage().user;
    expect(parseScore(text)).toBeNull();
    expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
  });
});

describe('parseScoreJson', () => {
  it.each([
    ['{"score":1}', 1],
    ['{"score":-1,"reason":"wrong file"}', -1],
    [' {"reason":"","score":0}\n', 0],
    ['{"score":-0}', 0],
    ['<think>{"score":-1}?</think>{"score":1}', 1],
    ['{"score":"1"}', null],
    ['{"score":2}', null],
    ['{"score":0.5}', null],
    ['{"score":true}', null],
    ['{"score":null}', null],
    ['{"verdict":1}', null],
    ['[1]', null],
    ['1', null],
    ['{"score":1', null],
    ['The answer is {"score":1}', null],
    ['<think>{"score":1}', null],
    ['', null],
  ])('%s', (text, score) => {
    expect(parseScoreJson(text)).toBe(score);
  });
});
