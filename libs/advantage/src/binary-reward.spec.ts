import { binaryReward } from './binary-reward';

describe('binaryReward', () => {
  it.each([1, -1] as const)('gives a judged turn its score %d as reward', (score) => {
    expect(binaryReward(score)).toEqual({ kind: 'reward', reward: score });
  });

  it('gives a neutral turn no reward, even as the first of its session', () => {
    expect(binaryReward(0)).toEqual({ kind: 'none', reason: 'neutral' });
  });

  it('keeps a turn that could not be judged apart from a neutral one', () => {
    expect(binaryReward(null)).toEqual({ kind: 'none', reason: 'not_judged' });
  });
});
