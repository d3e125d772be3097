import { IncompleteScoresError, type ScoreRequest } from './scores';
import { readSglangScores, sglangScoreBody } from './sglang-scores';
import { readVllmScores, vllmScoreBody } from './vllm-scores';

const REQUEST: ScoreRequest = { ids: Int32Array.from([101, 102, 103, 104, 105, 106, 107]), responseLength: 4, topK: 0 };

const sglang = (entries: unknown, top?: unknown) => ({
  text: '',
  meta_info: { input_token_logprobs: entries, ...(top === undefined ? {} : { input_top_logprobs: top }) },
});
const RIGHT = [
  [null, 103, null],
  [-3.2, 104, null],
  [-0.4, 105, null],
  [-1.1, 106, null],
  [-0.05, 107, null],
];
const changed = (at: number, entry: unknown) => RIGHT.map((each, i) => (i === at ? entry : each));

describe("SGLang's scores", () => {
  it('are asked for from one token before the response, and generate nothing', () => {
    expect(sglangScoreBody(REQUEST)).toEqual({
      input_ids: [101, 102, 103, 104, 105, 106, 107],
      sampling_params: { temperature: 1, max_new_tokens: 0 },
      return_logprob: true,
      logprob_start_len: 2,
    });
  });

  it('give the first response token its own log-prob, not certainty', () => {
    expect([...readSglangScores(sglang(RIGHT), REQUEST).logProbs]).toEqual([-3.2, -0.4, -1.1, -0.05]);
  });

  it.each([
    ['a window that begins at the response', sglang([[null, 104, null], ...RIGHT.slice(2)])],
    ['a window one token late, of the right length', sglang([...RIGHT.slice(1), [-1, 108, null]])],
    ['a hole', sglang(changed(2, [null, 105, null]))],
    ['no log-probs at all', { text: '', meta_info: {} }],
    ['no meta_info', { text: '' }],
    ['null', null],
    ['a reply that was cut', sglang(RIGHT.slice(3))],
    ['one entry too many', sglang([...RIGHT, [-1, 108, null]])],
    ['another token', sglang(changed(3, [-1.1, 999, null]))],
    ['a number that is none', sglang(changed(3, ['-1.1', 106, null]))],
    ['a positive log-prob', sglang(changed(3, [0.5, 106, null]))],
    ['an entry that is none', sglang(changed(3, 'x'))],
  ])('are refused whole for %s', (_name, answer) => {
    expect(() => readSglangScores(answer, REQUEST)).toThrow(IncompleteScoresError);
  });

  it('hold the likeliest tokens of each position, and mark one without K of them', () => {
    const top = [
      null,
      [
        [-0.1, 50, null],
        [-2.5, 60, null],
      ],
      [[-1.1, 51, null]],
      null,
      [
        [-2.1, 53, null],
        [-2.5, 63, null],
        [-9, 64, null],
      ],
    ];
    const request = { ...REQUEST, topK: 2 };
    expect(sglangScoreBody(request)).toMatchObject({ top_logprobs_num: 2 });
    expect(readSglangScores(sglang(RIGHT, top), request).top).toEqual({
      k: 2,
      logProbs: Float64Array.from([-0.1, -2.5, 0, 0, 0, 0, -2.1, -2.5]),
      ids: Int32Array.from([50, 60, 0, 0, 0, 0, 53, 63]),
      present: Uint8Array.from([1, 0, 0, 1]),
    });
  });
});

describe("vLLM's scores", () => {
  const place = (id: number, logprob: unknown, others: Record<string, unknown> = {}) => ({
    [id]: { logprob, rank: 9, decoded_token: 'x' },
    ...others,
  });
  const right = [
    null,
    place(102, -9),
    place(103, -8),
    place(104, -3.2),
    place(105, -0.4),
    place(106, -1.1),
    place(107, -0.05),
  ];
  const answer = (places: unknown) => ({ choices: [{ prompt_logprobs: places }] });

  it('are asked for with the prompt', () => {
    expect(vllmScoreBody(REQUEST, 'm')).toMatchObject({
      model: 'm',
      max_tokens: 1,
      prompt_logprobs: 0,
      temperature: 1,
    });
  });

  it('are those of the response alone', () => {
    expect([...readVllmScores(answer(right), REQUEST).logProbs]).toEqual([-3.2, -0.4, -1.1, -0.05]);
  });

  it.each([
    ['too few places', answer(right.slice(1))],
    ['a place without its token', answer(right.with(4, place(999, -1)))],
    ['a place that is null', answer(right.with(4, null))],
    ['a log-prob that is null', answer(right.with(4, place(105, null)))],
    ['no choices', { choices: [] }],
    ['nothing', null],
  ])('are refused whole for %s', (_name, body) => {
    expect(() => readVllmScores(body, REQUEST)).toThrow(IncompleteScoresError);
  });

  it('hold the likeliest tokens by rank', () => {
    const others = { 7: { logprob: -0.7, rank: 2 }, 8: { logprob: -0.3, rank: 1 } };
    const places = right.map((each, i) => (i >= 4 ? place(101 + i, -5, others) : each));
    expect(readVllmScores(answer(places), { ...REQUEST, topK: 2 }).top).toEqual({
      k: 2,
      logProbs: Float64Array.from([0, 0, -0.3, -0.7, -0.3, -0.7, -0.3, -0.7]),
      ids: Int32Array.from([0, 0, 8, 7, 8, 7, 8, 7]),
      present: Uint8Array.from([0, 1, 1, 1]),
    });
  });
});
