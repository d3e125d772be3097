import type { TurnCompletedBody, TurnCompletedInfo } from '@app/contracts';
import { sampleFromFrame, sampleToFrame } from '@app/sample';
import type { StoredTurn } from './capture-turn';
import { settledMessage } from './settled-message';
import { readHindsight } from './hindsight';
import { needsOutcome, settleTurn, signalOf, type Hindsight, type Outcome, type Verdict } from './settle';

interface Change {
  readonly exclusion?: TurnCompletedInfo['exclusion'];
  readonly detail?: string;
  readonly finishReason?: string | null;
  readonly arrays?: TurnCompletedBody['arrays'];
}

const turnWith = (change: Change = {}): StoredTurn => ({
  session: 'session',
  info: {
    turnId: 'turn',
    scope: 'scope',
    arrivedAt: 1,
    kind: 'main',
    client: 'client',
    hasTools: false,
    sessionDone: false,
    policyVersion: 4,
    completedAt: 2,
    ...(change.exclusion === undefined ? {} : { exclusion: change.exclusion }),
  },
  body: {
    head: {
      sessionId: null,
      model: 'm',
      messages: [{ role: 'user', content: 'hello' }],
      response: { role: 'assistant', content: 'hi' },
      finishReason: change.finishReason === undefined ? 'stop' : change.finishReason,
      sampling: { temperature: 0.6, topP: 0.9, topK: 20 },
      logProbsTempered: false,
      route: 'sglext',
      weightVersions: ['7', '8'],
      policyVersion: { start: 4, end: 5 },
      ...(change.detail === undefined ? {} : { detail: change.detail }),
    },
    arrays: change.arrays ?? {
      promptIds: Int32Array.of(10, 11),
      responseIds: Int32Array.of(12, 13, 14),
      logProbs: Float64Array.of(-0.5, -1, -0.25),
    },
  },
});
const good: Verdict = { score: 1, source: 'votes', votes: [1, null, 1] };

const BINARY = {
  algorithm: 'binary',
  binaryRewardWeight: 1,
  opdWeight: 1,
  evalMode: false,
  integrated: null,
  heartbeatPrompts: [],
} as const;

/** With binary rewards alone. */
const judged = (turn: StoredTurn, verdict: Verdict): Outcome => settleTurn(turn, { verdict, hindsight: null }, BINARY);

describe('settleTurn', () => {
  it.each([1, -1] as const)('makes a sample of a turn judged %d, every value as it was captured', (score) => {
    const outcome = judged(turnWith(), { ...good, score });
    if (outcome.kind !== 'sample') throw new TypeError(outcome.reason);
    expect(outcome.sample).toMatchObject({
      tokens: Int32Array.of(10, 11, 12, 13, 14),
      response_length: 3,
      loss_mask: Uint8Array.of(1, 1, 1),
      rollout_log_probs: Float64Array.of(-0.5, -1, -0.25),
      reward: { score },
      response: 'hi',
      prompt: null,
      weight_versions: ['7', '8'],
      metadata: {
        turn_id: 'turn',
        session_key: 'session',
        policy_version: { start: 4, end: 5 },
        sampling: { temperature: 0.6, top_p: 0.9, top_k: 20 },
        log_probs_tempered: false,
        votes: [1, null, 1],
        reward_source: 'votes',
      },
    });
    expect(sampleFromFrame(sampleToFrame(outcome.sample))).toEqual(outcome.sample);
  });

  it('never takes "not judged" for neutral', () => {
    expect(judged(turnWith(), { ...good, score: null })).toEqual({ kind: 'reason', reason: 'not_judged' });
    expect(judged(turnWith(), { ...good, score: 0 })).toEqual({ kind: 'reason', reason: 'neutral' });
  });

  it('names what excludes the turn itself before any score', () => {
    const turn = turnWith({ exclusion: 'no_token_ids', detail: 'the server sent none', arrays: {} });
    for (const score of [1, 0, null] as const) {
      expect(judged(turn, { ...good, score })).toEqual({
        kind: 'reason',
        reason: 'no_token_ids',
        detail: 'the server sent none',
      });
    }
  });

  it.each<[string, Change, string]>([
    [
      'a log-prob too few',
      { arrays: { ...turnWith().body.arrays, logProbs: Float64Array.of(-1) } },
      'rollout_log_probs',
    ],
    ['no log-probs', { arrays: { promptIds: Int32Array.of(1), responseIds: Int32Array.of(2) } }, 'logProbs'],
    ['ids of another type', { arrays: { ...turnWith().body.arrays, responseIds: Float64Array.of(1) } }, 'responseIds'],
    ['no finish reason', { finishReason: null }, 'finish_reason'],
  ])('makes no sample out of a turn with %s', (_, change, field) => {
    expect(judged(turnWith(change), good)).toEqual({
      kind: 'reason',
      reason: 'incomplete',
      detail: expect.stringContaining(field),
    });
  });
});

describe('settledMessage', () => {
  const settled = { turnId: 'turn', session: 'session', verdict: good, policyVersion: 4, settledAt: 9 };

  it('carries the sample as head and arrays', () => {
    const outcome = judged(turnWith(), good);
    const message = settledMessage({ ...settled, outcome });
    expect(message.info).toEqual({
      turnId: 'turn',
      session: 'session',
      kind: 'sample',
      signal: 'reward',
      score: 1,
      source: 'votes',
      policyVersion: 4,
      settledAt: 9,
    });
    expect(Object.keys(message.arrays!)).toEqual(['tokens', 'loss_mask', 'rollout_log_probs']);
    expect(JSON.stringify(message.head)).not.toContain('hello');
  });

  it('leaves out what is not known', () => {
    const message = settledMessage({
      turnId: 'turn',
      session: undefined,
      verdict: null,
      policyVersion: undefined,
      settledAt: 9,
      outcome: { kind: 'reason', reason: 'turn_lost' },
    });
    expect(message).toEqual({ info: { turnId: 'turn', kind: 'reason', reason: 'turn_lost', settledAt: 9 }, head: {} });
  });
});

describe('settleTurn with integrated rewards', () => {
  const integrated = { outcomeWeight: 2, processWeight: 0.5 };
  const training = { ...BINARY, integrated } as const;
  const hindsight: Hindsight = {
    teacher: { hint: 'Use a list.', logProbs: Float64Array.of(-3, -0.5, -0.25), top: null },
    reason: null,
    hasHint: true,
  };
  const settled = (verdict: Verdict, sessionOutcome: number | null, more: Partial<Hindsight> | null = null): Outcome =>
    settleTurn(
      turnWith(),
      { verdict, sessionOutcome, hindsight: more === null ? null : { ...hindsight, ...more } },
      more === null ? training : { ...training, algorithm: 'hybrid' },
    );

  it.each<[string, Verdict, number, number]>([
    ['weighs the outcome and the mean of the votes', { score: 1, source: 'votes', votes: [1, 1, -1] }, 1, 2 + 0.5 / 3],
    ['leaves a failed vote out of the mean', { score: 1, source: 'votes', votes: [1, null] }, -1, -2 + 0.5],
    ["counts a person's score as one vote", { score: -1, source: 'feedback' }, 0.5, 1 - 0.5],
    ['keeps a reward of 0, which is one among others', { score: 0, source: 'votes', votes: [1, 0, -1] }, 0, 0],
  ])('%s', (_name, verdict, outcome, score) => {
    const result = settled(verdict, outcome);
    if (result.kind !== 'sample') throw new TypeError(result.reason);
    expect(result.sample.reward).toEqual({ score });
    expect(result.sample.metadata).toMatchObject({
      reward_source: verdict.source,
      step_index: 0,
      session_outcome: outcome,
    });
  });

  it('counts no heartbeat as a step, however it is worded', () => {
    const answered = (content: string) => [
      { role: 'user', content },
      { role: 'assistant', content: 'NO_REPLY' },
    ];
    const messages = [...answered('Hello.'), ...answered('Check the mail.'), { role: 'user', content: 'and now?' }];
    const turn = turnWith();
    const told = { ...turn, body: { ...turn.body, head: { ...turn.body.head, messages } } };
    const stepOf = (heartbeatPrompts: readonly string[]) => {
      const findings = { verdict: good, sessionOutcome: 1, hindsight: null };
      const result = settleTurn(told, findings, { ...training, heartbeatPrompts });
      return result.kind === 'sample' ? result.sample.metadata.step_index : result.reason;
    };
    expect([stepOf([]), stepOf(['Check the mail'])]).toEqual([2, 1]);
  });

  it('has no reward without an outcome, but a teacher trains alone', () => {
    expect(settled(good, null)).toEqual({ kind: 'reason', reason: 'no_outcome' });
    const without = { teacher: null, reason: 'no_hint', hasHint: false } as const;
    expect(settled(good, null, without)).toEqual({ kind: 'reason', reason: 'no_outcome', detail: 'no_hint' });
    const result = settled(good, null, {});
    if (result.kind !== 'sample') throw new TypeError(result.reason);
    expect(result.sample).toMatchObject({
      reward: { score: 0 },
      metadata: { reward_source: 'none', step_index: null },
    });
  });

  it('has no reward without a vote, whatever the outcome', () => {
    expect(settled({ score: null, source: 'votes', votes: [null] }, 1)).toEqual({
      kind: 'reason',
      reason: 'not_judged',
    });
  });

  it.each<[string, TurnCompletedInfo['exclusion'], Verdict | null, boolean]>([
    ['a judged turn', undefined, good, true],
    ['a neutral turn', undefined, { score: 0, source: 'votes', votes: [0] }, true],
    ['a turn that a person has scored', undefined, { score: 1, source: 'feedback' }, true],
    ['a turn that is not judged', undefined, { score: null, source: 'votes', votes: [null] }, false],
    ['a turn without a verdict', undefined, null, false],
    ['an excluded turn', 'undelivered', good, false],
  ])('%s needs the outcome of its session or not', (_name, exclusion, verdict, expected) => {
    expect(needsOutcome(exclusion, verdict, training)).toBe(expected);
    expect(needsOutcome(exclusion, verdict, BINARY)).toBe(false);
  });
});

describe('settleTurn with a hint teacher', () => {
  const TEACHER = { hint: 'Use a list.', logProbs: Float64Array.of(-3, -0.5, -0.25), top: null };
  const hinted: Hindsight = { teacher: TEACHER, reason: null, hasHint: true };
  const unhinted: Hindsight = { teacher: null, reason: 'no_hint', hasHint: false };
  const verdictOf = (score: Verdict['score']): Verdict => ({ score, source: 'votes', votes: [score] });
  const HYBRID = { ...BINARY, algorithm: 'hybrid' } as const;
  const OPD = { ...BINARY, algorithm: 'opd' } as const;
  type Training = Parameters<typeof settleTurn>[2];

  const summaryOf = (outcome: Outcome): unknown => {
    if (outcome.kind === 'reason')
      return outcome.detail === undefined ? outcome.reason : [outcome.reason, outcome.detail];
    const { reward, metadata } = outcome.sample;
    return [signalOf(outcome.sample), reward.score, metadata.reward_source, metadata.hint];
  };

  it.each<[string, Training, Verdict | null, Hindsight | null, unknown]>([
    ['hint and score', HYBRID, verdictOf(-1), hinted, ['both', -1, 'votes', 'Use a list.']],
    ['hint and a neutral score', HYBRID, verdictOf(0), hinted, ['teacher', 0, 'none', 'Use a list.']],
    ['hint and no score', HYBRID, verdictOf(null), hinted, ['teacher', 0, 'none', 'Use a list.']],
    ['score and no hint', HYBRID, verdictOf(1), unhinted, ['reward', 1, 'votes', null]],
    ['neither, neutral', HYBRID, verdictOf(0), unhinted, ['neutral', 'no_hint']],
    ['neither, not judged', HYBRID, verdictOf(null), unhinted, ['not_judged', 'no_hint']],
    ['hint', OPD, null, hinted, ['teacher', 0, 'none', 'Use a list.']],
    ['no hint', OPD, null, unhinted, ['no_hint', 'no_hint']],
    [
      'a score that votes gave for evaluation',
      { ...OPD, evalMode: true },
      verdictOf(1),
      hinted,
      ['teacher', 0, 'none', 'Use a list.'],
    ],
    ['evaluation of both', { ...HYBRID, evalMode: true }, verdictOf(1), hinted, ['teacher', 0, 'none', 'Use a list.']],
    ['evaluation without a hint', { ...HYBRID, evalMode: true }, verdictOf(1), unhinted, ['no_hint', 'no_hint']],
    ['evaluation alone', { ...BINARY, evalMode: true }, verdictOf(1), null, 'evaluated'],
    [
      'rewards of weight 0',
      { ...HYBRID, binaryRewardWeight: 0 },
      verdictOf(1),
      hinted,
      ['teacher', 0, 'none', 'Use a list.'],
    ],
    ['hints of weight 0', { ...HYBRID, opdWeight: 0 }, verdictOf(1), hinted, ['reward', 1, 'votes', null]],
    [
      'log-probs that cannot be compared',
      OPD,
      null,
      { teacher: null, reason: 'temperature_mismatch', hasHint: false },
      'temperature_mismatch',
    ],
    [
      'a hint whose teacher failed',
      OPD,
      null,
      { teacher: null, reason: 'scores_incomplete', hasHint: true },
      ['no_teacher', 'scores_incomplete'],
    ],
  ])('%s', (...[, training, verdict, hindsight, expected]) => {
    expect(summaryOf(settleTurn(turnWith(), { verdict, hindsight }, training))).toEqual(expected);
  });

  it('carries method, weights and the teacher into the sample', () => {
    const training = { ...HYBRID, binaryRewardWeight: 0.5, opdWeight: 2 };
    const outcome = settleTurn(turnWith(), { verdict: verdictOf(1), hindsight: hinted }, training);
    if (outcome.kind !== 'sample') throw new TypeError(outcome.reason);
    expect(outcome.sample.teacher_log_probs).toEqual(TEACHER.logProbs);
    expect(outcome.sample.metadata).toMatchObject({ method: 'hybrid', weights: { binary_reward: 0.5, opd: 2 } });
  });

  it('is incomplete where the teacher spoke of another number of tokens', () => {
    const short = { ...hinted, teacher: { ...TEACHER, logProbs: Float64Array.of(-1) } };
    const outcome = settleTurn(turnWith(), { verdict: null, hindsight: short }, OPD);
    expect(outcome).toMatchObject({ kind: 'reason', reason: 'incomplete' });
  });

  it('is excluded by what excludes the turn, whatever was found out', () => {
    const outcome = settleTurn(turnWith({ exclusion: 'undelivered' }), { verdict: good, hindsight: hinted }, HYBRID);
    expect(outcome).toMatchObject({ reason: 'undelivered' });
  });

  it('reads what the teacher has published', () => {
    const info = { turnId: 't', session: 's', hintedAt: 1 };
    const head = { judgeModel: 'j', votes: [], selected: 0, hint: 'Use a list.', teacherModel: 't' };
    const arrays = { teacherLogProbs: Float64Array.of(-1) };
    expect(readHindsight(info, { head, arrays })).toEqual({
      teacher: { hint: 'Use a list.', logProbs: arrays.teacherLogProbs, top: null },
      reason: null,
      hasHint: true,
    });
    const top = { topLogProbs: Float64Array.of(-1), topIds: Int32Array.of(7), topPresent: Uint8Array.of(1) };
    expect(readHindsight(info, { head, arrays: { ...arrays, ...top } }).teacher?.top).toEqual({
      logProbs: top.topLogProbs,
      ids: top.topIds,
      present: top.topPresent,
    });
    expect(readHindsight({ ...info, reason: 'teacher_refused' }, { head, arrays: {} })).toEqual({
      teacher: null,
      reason: 'teacher_refused',
      hasHint: true,
    });
    expect(readHindsight(info, { head, arrays: {} })).toMatchObject({ teacher: null, reason: 'scores_incomplete' });
  });
});
