import type { TurnCompletedBody, TurnCompletedInfo } from '@app/contracts';
import { sampleFromFrame, sampleToFrame } from '@app/sample';
import type { StoredTurn } from './capture-turn';
import { settledMessage } from './settled-message';
import { settleTurn, type Verdict } from './settle';

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

describe('settleTurn', () => {
  it.each([1, -1] as const)('makes a sample of a turn judged %d, every value as it was captured', (score) => {
    const outcome = settleTurn(turnWith(), { ...good, score });
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
    expect(settleTurn(turnWith(), { ...good, score: null })).toEqual({ kind: 'reason', reason: 'not_judged' });
    expect(settleTurn(turnWith(), { ...good, score: 0 })).toEqual({ kind: 'reason', reason: 'neutral' });
  });

  it('names what excludes the turn itself before any score', () => {
    const turn = turnWith({ exclusion: 'no_token_ids', detail: 'the server sent none', arrays: {} });
    for (const score of [1, 0, null] as const) {
      expect(settleTurn(turn, { ...good, score })).toEqual({
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
    expect(settleTurn(turnWith(change), good)).toEqual({
      kind: 'reason',
      reason: 'incomplete',
      detail: expect.stringContaining(field),
    });
  });
});

describe('settledMessage', () => {
  const settled = { turnId: 'turn', session: 'session', verdict: good, policyVersion: 4, settledAt: 9 };

  it('carries the sample as head and arrays', () => {
    const outcome = settleTurn(turnWith(), good);
    const message = settledMessage({ ...settled, outcome });
    expect(message.info).toEqual({
      turnId: 'turn',
      session: 'session',
      kind: 'sample',
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
