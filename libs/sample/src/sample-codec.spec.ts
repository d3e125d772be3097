import fc from 'fast-check';
import { buildSample } from './build-sample';
import { checkSample } from './check-sample';
import type { Sample } from './sample';
import { parseSampleJson, sampleFromFrame, sampleToFrame, sampleToJson } from './sample-codec';
import { SampleInvariantError, SampleVersionError } from './sample-error';

const token = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const logProb = fc.double({ min: -50, max: 0, noNaN: true });
const teacherOf = (response: readonly (readonly [number, number])[], k: number) => ({
  hint: 'Be brief.',
  logProbs: response.map(([, value]) => value / 2),
  top:
    k === 0
      ? null
      : {
          logProbs: new Float64Array(k * response.length).fill(-1),
          ids: new Int32Array(k * response.length).fill(7),
          present: new Uint8Array(response.length).fill(1),
        },
});
const sampleArb: fc.Arbitrary<Sample> = fc
  .record({
    promptIds: fc.array(token, { minLength: 1, maxLength: 8 }),
    response: fc.array(fc.tuple(token, logProb), { minLength: 1, maxLength: 8 }),
    text: fc.string(),
    start: fc.nat(),
    later: fc.nat({ max: 2 }),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    reward: fc.constantFrom(1, -1),
    k: fc.nat({ max: 2 }),
    hasTeacher: fc.boolean(),
  })
  .map(({ promptIds, response, text, start, later, temperature, reward, k, hasTeacher }) =>
    buildSample(
      {
        turnId: 't',
        sessionKey: 's',
        promptIds,
        responseIds: response.map(([id]) => id),
        logProbs: response.map(([, value]) => value),
        finishReason: 'stop',
        responseText: text,
        weightVersions: ['a', 'b'],
        policyVersion: { start, end: start + later },
        sampling: { temperature, top_p: null, top_k: null },
        logProbsTempered: null,
        route: 'sglext',
      },
      {
        reward,
        votes: [1, null],
        source: 'votes',
        teacher: hasTeacher ? teacherOf(response, k) : null,
      },
    ),
  );

const TOP_K = ['teacher_topk_log_probs', 'teacher_topk_indices', 'teacher_topk_mask'];

/** A sample as the first writer of schema 1 stored it, without a field that came later. */
const STORED = {
  schema_version: 1,
  tokens: [1, 2, 3],
  response: 'x',
  response_length: 2,
  reward: { score: 1 },
  loss_mask: [1, 0],
  rollout_log_probs: [-0.5, -0.25],
  weight_versions: [],
  status: 'truncated',
  metadata: {
    turn_id: 't',
    session_key: 's',
    policy_version: { start: 0, end: 0 },
    sampling: { temperature: null, top_p: null, top_k: null },
    log_probs_tempered: false,
    route: 'sglext',
    finish_reason: 'length',
    reward_source: 'feedback',
  },
};

describe('a sample', () => {
  it('survives JSON without a change', () => {
    fc.assert(
      fc.property(sampleArb, (sample) => {
        expect(parseSampleJson(JSON.parse(JSON.stringify(sampleToJson(sample))))).toEqual({
          ...sample,
          // JSON has no negative zero.
          rollout_log_probs: sample.rollout_log_probs.map((value) => value + 0),
          teacher_log_probs: sample.teacher_log_probs?.map((value) => value + 0) ?? null,
        });
      }),
    );
  });

  it('survives the frame bit by bit', () => {
    fc.assert(
      fc.property(sampleArb, (sample) => {
        const { head, arrays } = sampleToFrame(sample);
        const teacher = sample.teacher_log_probs === null ? [] : ['teacher_log_probs'];
        const top = sample.teacher_topk_mask === null ? [] : TOP_K;
        expect(Object.keys(arrays)).toEqual(['tokens', 'loss_mask', 'rollout_log_probs', ...teacher, ...top]);
        expect(head).not.toHaveProperty('tokens');
        expect(sampleFromFrame({ head: structuredClone(head), arrays })).toEqual(sample);
      }),
    );
  });

  it('is read from a payload that was written before the optional fields', () => {
    expect(parseSampleJson(STORED)).toEqual({
      ...STORED,
      index: null,
      group_index: null,
      prompt: null,
      tokens: Int32Array.of(1, 2, 3),
      loss_mask: Uint8Array.of(1, 0),
      rollout_log_probs: Float64Array.of(-0.5, -0.25),
      teacher_log_probs: null,
      teacher_topk_log_probs: null,
      teacher_topk_indices: null,
      teacher_topk_mask: null,
      metadata: {
        ...STORED.metadata,
        votes: null,
        method: 'binary',
        weights: { binary_reward: 1, opd: 1 },
        hint: null,
        step_index: null,
        session_outcome: null,
      },
    });
  });

  it('keeps fields that this version does not know', () => {
    const later = { ...STORED, critic_values: [-1, -2], metadata: { ...STORED.metadata, tree_depth: 3 } };
    const json = sampleToJson(parseSampleJson(later));
    expect(json).toMatchObject({ critic_values: [-1, -2], metadata: { tree_depth: 3 } });
  });

  it('of a newer schema is refused with the version that is known', () => {
    const read = () => parseSampleJson({ ...STORED, schema_version: 2, tokens: 'another form' });
    expect(read).toThrow(SampleVersionError);
    expect(read).toThrow('sample: schema_version 2 is newer than 1, the newest this reader knows; update the reader');
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'value must be an object'],
    ['a list', [], 'value must be an object'],
    ['no version', { ...STORED, schema_version: undefined }, 'schema_version must be an integer'],
    ['a version 0', { ...STORED, schema_version: 0 }, 'schema_version must be an integer, 1 or more, got 0'],
    ['no tokens', { ...STORED, tokens: undefined }, 'tokens must be a list of numbers'],
    ['tokens as a text', { ...STORED, tokens: '123' }, 'tokens must be a list of numbers, got "123"'],
    ['a null log-prob', { ...STORED, rollout_log_probs: [-1, null] }, 'rollout_log_probs[1] must be a number'],
    ['a mask of another length', { ...STORED, loss_mask: [1] }, 'loss_mask has 1 entries for 2 response ids'],
    ['a mask of twos', { ...STORED, loss_mask: [1, 2] }, 'loss_mask[1] must be 0 or 1, got 2'],
    ['a mask of zeros', { ...STORED, loss_mask: [0, 0] }, 'loss_mask trains on no token'],
    ['no prompt', { ...STORED, tokens: [1, 2] }, 'tokens has 2 ids: none is left for the prompt'],
    ['no reward', { ...STORED, reward: undefined }, 'reward must be {score}'],
    ['a null score', { ...STORED, reward: { score: null } }, 'reward.score must be a finite number, got null'],
    ['an unknown status', { ...STORED, status: 'aborted' }, 'status must be one of completed, truncated'],
    ['a negative index', { ...STORED, index: -1 }, 'index must be an integer, 0 or more, or null'],
    ['a prompt as a text', { ...STORED, prompt: 'hi' }, 'prompt must be a list of messages or null'],
    ['versions that are no texts', { ...STORED, weight_versions: [1] }, 'weight_versions must be texts'],
    ['no metadata', { ...STORED, metadata: undefined }, 'metadata must be an object'],
    ['a vote of 2', { ...STORED, metadata: { ...STORED.metadata, votes: [2] } }, 'metadata.votes must be 1, -1, 0'],
    [
      'a step before the first',
      { ...STORED, metadata: { ...STORED.metadata, step_index: -1 } },
      'metadata.step_index must be an integer, 0 or more, or null',
    ],
    [
      'an outcome that is a text',
      { ...STORED, metadata: { ...STORED.metadata, session_outcome: 'good' } },
      'metadata.session_outcome must be a finite number or null',
    ],
    [
      'an unknown source',
      { ...STORED, metadata: { ...STORED.metadata, reward_source: 'x' } },
      'must be one of votes, feedback',
    ],
  ])('is not made of %s', (_name, value, message) => {
    expect(() => parseSampleJson(value)).toThrow(SampleInvariantError);
    expect(() => parseSampleJson(value)).toThrow(message);
  });
});

describe('checkSample', () => {
  const sample = parseSampleJson(STORED);

  it('returns the sample it was given', () => {
    expect(checkSample(sample)).toBe(sample);
  });

  it.each<[string, Partial<Record<keyof Sample, unknown>>, string]>([
    ['plain arrays', { tokens: [1, 2, 3] }, 'tokens must be an Int32Array'],
    ['a mask of twos', { loss_mask: Uint8Array.of(1, 2) }, 'loss_mask must hold 0 and 1 only'],
    ['a length that is not that of the arrays', { response_length: 1 }, 'loss_mask has 2 entries for 1 response ids'],
  ])('refuses %s', (_name, change, message) => {
    expect(() => checkSample({ ...sample, ...change } as Sample)).toThrow(message);
  });
});
