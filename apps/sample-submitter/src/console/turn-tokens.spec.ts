import { fitMessages } from './fit-messages';
import { describeTokens, versionsOf } from './turn-tokens';
import { votesByMinute } from './now.service';
import type { TurnRow } from '@app/contracts';

const SOURCES = {
  ids: Int32Array.of(7, 8),
  logProbs: Float64Array.of(-0.5, -1 / 3),
  teacherLogProbs: Float64Array.of(-1, -2),
  versions: { start: 3, end: 3 },
  sample: null,
};

test('tokens of a turn that is no sample have no advantage and no mask', () => {
  expect(describeTokens(SOURCES, (ids) => ids.map(String))).toEqual({
    ids: [7, 8],
    texts: ['7', '8'],
    logProbs: [-0.5, -0.333333],
    teacherLogProbs: [-1, -2],
    advantages: null,
    mask: null,
    versions: [3, 3],
  });
});

test('who may not read text gets neither ids nor texts', () => {
  expect(describeTokens(SOURCES, null)).toMatchObject({ ids: null, texts: null, logProbs: [-0.5, -0.333333] });
});

test('a teacher that scored another number of tokens is none', () => {
  expect(describeTokens({ ...SOURCES, teacherLogProbs: Float64Array.of(-1) }, null).teacherLogProbs).toBeNull();
});

test('each token has the version that its span says', () => {
  const spans = [
    { version: 1, tokens: 2 },
    { version: 2, tokens: 1 },
  ];
  expect(versionsOf({ start: 1, end: 2, spans }, 4)).toEqual([1, 1, 2, 2]);
  expect(versionsOf({ start: 5, end: 5 }, 2)).toEqual([5, 5]);
});

test('the newest messages that fit are kept, the newest of all in any case', () => {
  const messages = ['aaaa', 'bb', 'c'];
  expect(fitMessages(messages, 7)).toEqual({ messages: ['bb', 'c'], leftOut: 1 });
  expect(fitMessages(messages, 1)).toEqual({ messages: ['c'], leftOut: 2 });
  expect(fitMessages(messages)).toEqual({ messages, leftOut: 0 });
  expect(fitMessages([])).toEqual({ messages: [], leftOut: 0 });
});

test('votes are counted by the minute that they were cast in', () => {
  const now = 100 * 60_000;
  const judged = (ago: number, votes: TurnRow['votes']): TurnRow => ({ judgedAt: now - ago, votes }) as TurnRow;
  const counts = votesByMinute([judged(0, [1, 1, null]), judged(61_000, null), judged(31 * 60_000, [1])], now);
  expect(counts).toHaveLength(30);
  expect(counts.slice(-2)).toEqual([1, 3]);
  expect(counts.reduce((sum, each) => sum + each)).toBe(4);
});
