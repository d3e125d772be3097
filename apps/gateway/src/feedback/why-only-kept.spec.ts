import { loadSettings } from '@app/config';
import { whyOnlyKept, type AnswerState } from './why-only-kept';

const settingsWith = (env: Record<string, string> = {}) => loadSettings(env, () => null);
const NEW: AnswerState = { outcome: null, isFollowed: false };
const FOLLOWED: AnswerState = { outcome: null, isFollowed: true };
const SETTLED: AnswerState = { outcome: 'neutral', isFollowed: true };
const OPD = { OPENCLAW_RL_RL_ALGORITHM: 'opd' };
const INTEGRATED = { OPENCLAW_RL_REWARD_INTEGRATED: 'true' };

describe('whyOnlyKept', () => {
  it.each([
    ['a score of an answer that nobody has reacted to', { score: 1 }, NEW, {}],
    ['a score while the reply is being judged', { score: 1 }, FOLLOWED, {}],
    ['the first words about an answer', { text: 'good' }, NEW, {}],
    ['a score beside words that come too late', { score: 1, text: 'good' }, FOLLOWED, {}],
    ['words beside a score that has no use', { score: 1, text: 'good' }, NEW, OPD],
    ['an outcome of the session, about whichever answer', { outcome: 1 }, SETTLED, INTEGRATED],
  ] as const)('is nothing for %s: it counts', (_what, feedback, state, env) => {
    expect(whyOnlyKept(feedback, state, settingsWith(env))).toBeNull();
  });

  it.each([
    [{ score: -1 }, SETTLED, {}, 'the answer is settled already (neutral)'],
    [{ score: -1, text: 'bad' }, SETTLED, {}, 'the answer is settled already (neutral)'],
    [{ text: 'bad' }, FOLLOWED, {}, 'the answer has been followed already, and is judged by that'],
    [{ score: 1 }, NEW, OPD, 'rl.algorithm = "opd" trains on no scores'],
    [{ outcome: 1 }, NEW, {}, 'outcomes of sessions do not count: reward.integrated is off'],
  ] as const)('says of %j after %j, with %j, why it does not', (feedback, state, env, reason) => {
    expect(whyOnlyKept(feedback, state, settingsWith(env))).toBe(reason);
  });

  it('says every reason where there are several', () => {
    expect(whyOnlyKept({ score: 1, text: 'good' }, FOLLOWED, settingsWith(OPD))).toBe(
      'rl.algorithm = "opd" trains on no scores; the answer has been followed already, and is judged by that',
    );
  });
});
