import { drawComplaint, drawGradedWork, drawProblem, homeworkRequest, seededRandom } from '@app/pocket-lm';
import { parseHint, parseHintJson, parseScore, parseScoreJson } from '@app/chat';
import { judgeAnswer } from './judge-answer';

const prompt = (
  state: string,
  { request = 'What is 3 + 4?', hint = false, json = false } = {},
): Record<string, unknown> => ({
  model: 'pocket-judge',
  messages: [
    { role: 'system', content: `You judge.${hint ? ' Write [HINT_START] and [HINT_END].' : ''}` },
    {
      role: 'user',
      content: `<user_request>\n${request}\n</user_request>\n\n<assistant_response>\nIt is 7. Thanks for asking.\n</assistant_response>\n\n${state}\n\nNow.`,
    },
  ],
  ...(json && { response_format: { type: 'json_schema', json_schema: { name: hint ? 'hint' : 'verdict' } } }),
});
const user = (text: string): string => `<next_state role="user">\n${text}\n</next_state>`;
const tool = (text: string): string =>
  `<next_state role="tool">\n<tool_result name="exec">\n${text}\n</tool_result>\n</next_state>`;

const random = seededRandom(3);
const draws = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);

describe('judgeAnswer', () => {
  it.each([
    [1, user('Thanks, that is perfect!')],
    [1, user('👍')],
    [1, user('Great, thanks a lot!')],
    [-1, user('👎')],
    [-1, user('No, that is not right.')],
    [-1, user('This sounds like an AI. Please write like a student.')],
    [-1, user('Thanks, but next time keep it short.')],
    [-1, user('What is 3 + 4?')],
    [-1, tool('Error: permission denied')],
    [0, tool('README.md')],
    [0, user('What is the weather?')],
    [0, ''],
  ])('gives %i for %j', (score, state) => {
    expect(parseScore(judgeAnswer(prompt(state)))).toBe(score);
    expect(parseScoreJson(judgeAnswer(prompt(state, { json: true })))).toBe(score);
  });

  it('takes every complaint of a wording that the corpus does not have, and its wish for the hint', () => {
    for (const style of ['student', 'friendly'] as const) {
      for (const complaint of draws(200, () => drawComplaint(style, random, 'held-out'))) {
        expect([complaint, parseScore(judgeAnswer(prompt(user(complaint))))]).toEqual([complaint, -1]);
        const wish = /[^.]+\.$/.exec(complaint)![0].trim();
        const vote = { decision: 1, hint: wish };
        expect(parseHint(judgeAnswer(prompt(user(complaint), { hint: true })))).toEqual(vote);
        expect(parseHintJson(judgeAnswer(prompt(user(complaint), { hint: true, json: true })))).toEqual(vote);
      }
    }
  });

  it('takes no new task for a complaint', () => {
    const tasks = draws(200, () => [
      homeworkRequest(drawProblem(random, 'held-out'), random),
      drawGradedWork(random, 'held-out').text,
    ]).flat();
    for (const task of tasks) expect([task, parseScore(judgeAnswer(prompt(user(task))))]).toEqual([task, 0]);
  });

  it('gives a hint only where somebody says what should have been', () => {
    for (const state of [user('Thanks!'), user('That is wrong.'), tool('Error: no such file')]) {
      expect(parseHint(judgeAnswer(prompt(state, { hint: true })))).toEqual({ decision: -1, hint: '' });
    }
    const short = judgeAnswer(prompt(user('Thanks, but next time keep it short.'), { hint: true }));
    expect(parseHint(short)).toEqual({ decision: 1, hint: 'next time keep it short.' });
  });
});
