import { dispatchSignals, type Score } from '@app/advantage';
import { buildSample, type CapturedTurn } from './build-sample';
import { sampleAdvantages } from './sample-advantages';
import { SampleInvariantError } from './sample-error';

const TURN: CapturedTurn = {
  turnId: 'turn-1',
  sessionKey: 'session-1',
  promptIds: [1, 2],
  responseIds: [3, 4, 5],
  logProbs: [-0.5, -1, -0.25],
  finishReason: 'stop',
  responseText: 'hello',
  weightVersions: ['7'],
  policyVersion: { start: 7, end: 7 },
  sampling: { temperature: 0.6, top_p: null, top_k: 20 },
  logProbsTempered: true,
  route: 'sglext',
};

/** The whole way of a judged turn in Binary RL: a sample, or the reason why there is none. */
const dispatch = (score: Score | null) => {
  const result = dispatchSignals('binary', { score, hasTeacher: false });
  return result.kind === 'none' ? result.reason : buildSample(TURN, { reward: result.reward, source: 'votes' });
};

describe('buildSample', () => {
  it('puts everything that a trainer needs under slime’s names', () => {
    expect(buildSample(TURN, { reward: -1, votes: [-1, null, -1], source: 'votes' })).toEqual({
      schema_version: 1,
      index: null,
      group_index: null,
      prompt: null,
      tokens: Int32Array.of(1, 2, 3, 4, 5),
      response: 'hello',
      response_length: 3,
      reward: { score: -1 },
      loss_mask: Uint8Array.of(1, 1, 1),
      rollout_log_probs: Float64Array.of(-0.5, -1, -0.25),
      teacher_log_probs: null,
      teacher_topk_log_probs: null,
      teacher_topk_indices: null,
      teacher_topk_mask: null,
      weight_versions: ['7'],
      status: 'completed',
      metadata: {
        turn_id: 'turn-1',
        session_key: 'session-1',
        policy_version: { start: 7, end: 7 },
        sampling: { temperature: 0.6, top_p: null, top_k: 20 },
        log_probs_tempered: true,
        route: 'sglext',
        finish_reason: 'stop',
        votes: [-1, null, -1],
        reward_source: 'votes',
        method: 'binary',
        weights: { binary_reward: 1, opd: 1 },
        hint: null,
        step_index: null,
        session_outcome: null,
      },
    });
  });

  const top = {
    logProbs: Float64Array.of(-0.1, -3, -0.2, -2, 0, 0),
    ids: Int32Array.of(3, 9, 4, 8, 0, 0),
    present: Uint8Array.of(1, 1, 0),
  };
  const teacher = { hint: 'Say less.', logProbs: [-3, -0.5, -0.25], top };

  it('carries the teacher, and the token advantages are its log-probs minus those as sampled', () => {
    const training = { method: 'hybrid', weights: { binary_reward: 2, opd: 0.5 } } as const;
    const sample = buildSample(TURN, { reward: 1, source: 'votes', teacher, training });
    expect(sample).toMatchObject({
      teacher_log_probs: Float64Array.of(-3, -0.5, -0.25),
      teacher_topk_log_probs: top.logProbs,
      teacher_topk_indices: top.ids,
      teacher_topk_mask: top.present,
      metadata: { ...training, hint: 'Say less.' },
    });
    expect([...sampleAdvantages(sample)]).toEqual([2 + 0.5 * -2.5, 2 + 0.5 * 0.5, 2]);
    const alone = buildSample(TURN, { reward: 0, source: 'none', teacher: { ...teacher, top: null } });
    expect([...sampleAdvantages(alone)]).toEqual([-2.5, 0.5, 0]);
    expect([...sampleAdvantages(buildSample(TURN, { reward: -1, source: 'votes' }))]).toEqual([-1, -1, -1]);
  });

  it.each([
    ['a teacher who said too little', { ...teacher, logProbs: [-3, -0.5] }, 'teacher_log_probs has 2 entries for 3'],
    ['a teacher with a hole', { ...teacher, logProbs: [-3, NaN, -1] }, 'teacher_log_probs[1] must be finite'],
    ['a teacher who is more than certain', { ...teacher, logProbs: [-3, 0.5, -1] }, 'teacher_log_probs[1]'],
    [
      'marks that do not fit',
      { ...teacher, top: { ...top, present: Uint8Array.of(1) } },
      'teacher_topk_mask has 1 entries for 3',
    ],
    ['ids that do not fit', { ...teacher, top: { ...top, ids: top.ids.slice(1) } }, 'teacher_topk_indices has 5'],
    [
      'log-probs that do not fit',
      { ...teacher, top: { ...top, logProbs: top.logProbs.slice(0, 3) } },
      'teacher_topk_log_probs has 3 entries for 6 ids',
    ],
  ])('refuses %s', (_name, wrong, message) => {
    expect(() => buildSample(TURN, { reward: 1, source: 'votes', teacher: wrong })).toThrow(message);
  });

  it.each([1, -1] as const)('trains on every response token of a turn judged %d', (score) => {
    expect(dispatch(score)).toMatchObject({
      reward: { score },
      loss_mask: Uint8Array.of(1, 1, 1),
      tokens: Int32Array.of(1, 2, 3, 4, 5),
      response_length: 3,
      rollout_log_probs: Float64Array.of(-0.5, -1, -0.25),
    });
  });

  it('keeps whose tokens are whose, if that fits the answer', () => {
    const built = (spans: readonly { version: number; tokens: number }[]) =>
      buildSample({ ...TURN, policyVersion: { start: 7, end: 9, spans } }, { reward: 1, source: 'votes' });
    const spans = [
      { version: 7, tokens: 1 },
      { version: 9, tokens: 2 },
    ];
    expect(built(spans).metadata.policy_version).toEqual({ start: 7, end: 9, spans });
    expect(() => built([{ version: 7, tokens: 2 }])).toThrow('hold 2 tokens for 3 response ids');
    expect(() => built(spans.toReversed())).toThrow('must rise from start to end');
    expect(() => built([{ version: 10, tokens: 3 }])).toThrow('must rise from start to end');
    expect(() => built([{ version: 7, tokens: 0 }])).toThrow('must be spans');
  });

  it('makes no sample of a neutral turn, nor of one that was not judged', () => {
    expect(dispatch(0)).toBe('neutral');
    expect(dispatch(null)).toBe('not_judged');
  });

  it.each([
    ['stop', 'completed'],
    ['tool_calls', 'completed'],
    ['function_call', 'completed'],
    ['length', 'truncated'],
  ])('gives finish reason %s the status %s', (finishReason, status) => {
    expect(buildSample({ ...TURN, finishReason }, { reward: 1, source: 'votes' }).status).toBe(status);
  });

  it('says where a person’s reward came from', () => {
    const { metadata } = buildSample(TURN, { reward: 1, source: 'feedback' });
    expect(metadata).toMatchObject({ reward_source: 'feedback', votes: null });
  });

  it('keeps the messages where it is given them', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    expect(buildSample({ ...TURN, messages }, { reward: 1, source: 'votes' }).prompt).toEqual(messages);
  });

  it('takes typed arrays as they come off the bus, and shares no memory with them', () => {
    const logProbs = Float64Array.of(-0.5, -1, -0.25);
    const turn = { ...TURN, promptIds: Int32Array.of(1, 2), responseIds: Int32Array.of(3, 4, 5), logProbs };
    const sample = buildSample(turn, { reward: 1, source: 'votes' });
    expect(sample).toEqual(buildSample(TURN, { reward: 1, source: 'votes' }));
    logProbs[0] = -9;
    expect(sample.rollout_log_probs[0]).toBe(-0.5);
  });

  it.each<[string, Partial<CapturedTurn>, string]>([
    [
      'fewer log-probs than ids',
      { logProbs: [-0.5, -1] },
      'sample: rollout_log_probs has 2 entries for 3 response ids',
    ],
    ['more log-probs than ids', { logProbs: [-1, -1, -1, -1] }, 'rollout_log_probs has 4 entries for 3 response ids'],
    [
      'a missing log-prob',
      { logProbs: [-0.5, null as unknown as number, -1] },
      'rollout_log_probs[1] must be a number',
    ],
    ['an infinite log-prob', { logProbs: [-0.5, -Infinity, -1] }, 'rollout_log_probs[1] must be finite'],
    ['a log-prob that is no number', { logProbs: [NaN, -1, -1] }, 'rollout_log_probs[0] must be finite'],
    ['a probability over one', { logProbs: [-0.5, -1, 0.01] }, 'rollout_log_probs[2] must be finite and at most 0'],
    ['an empty response', { responseIds: [], logProbs: [] }, 'response_length must be an integer, 1 or more, got 0'],
    ['an empty prompt', { promptIds: [] }, 'prompt ids are empty'],
    ['a negative id', { promptIds: [1, -2] }, 'prompt ids[1] must be a token id, got -2'],
    ['a negative id off the bus', { responseIds: Int32Array.of(3, -4, 5) }, 'tokens[3] must not be negative, got -4'],
    ['an id that is no integer', { responseIds: [3, 4.5, 5] }, 'response ids[1] must be a token id, got 4.5'],
    ['an id that 32 bits cannot hold', { promptIds: [2 ** 32] }, 'prompt ids[0] must be a token id'],
    [
      'an aborted answer',
      { finishReason: 'abort' },
      'finish_reason must be stop, tool_calls, function_call or length, got abort',
    ],
    [
      'a version that fell',
      { policyVersion: { start: 7, end: 6 } },
      'metadata.policy_version.end must be an integer, 7 or',
    ],
    [
      'a temperature that is no number',
      { sampling: { temperature: NaN, top_p: null, top_k: null } },
      'metadata.sampling.temperature must be a finite number or null',
    ],
    ['no turn id', { turnId: '' }, 'metadata.turn_id must be a text'],
  ])('refuses %s', (_name, change, message) => {
    const build = () => buildSample({ ...TURN, ...change }, { reward: 1, source: 'votes' });
    expect(build).toThrow(SampleInvariantError);
    expect(build).toThrow(message);
  });

  it('refuses a reward that is no number', () => {
    expect(() => buildSample(TURN, { reward: NaN, source: 'votes' })).toThrow('reward.score must be a finite number');
  });

  it('keeps a log-prob that float32 rounded above 0 as it is', () => {
    const sample = buildSample({ ...TURN, logProbs: [2e-6, -0, 0] }, { reward: 1, source: 'votes' });
    expect([...sample.rollout_log_probs]).toEqual([2e-6, -0, 0]);
  });
});
