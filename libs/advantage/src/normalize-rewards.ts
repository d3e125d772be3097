import { LengthMismatchError } from './numbers';

export interface RewardNormalization {
  /** `std`: divide by the group's sample standard deviation (n - 1) plus `epsilon`. `none`: subtract the mean only. */
  readonly scale: 'std' | 'none';
  /** Added to the standard deviation. slime and verl: 1e-6, trl: 1e-4. */
  readonly epsilon: number;
  /** What a group of one scored sample gets: 0, as in slime and trl, or its own reward, as in verl. */
  readonly ofSingleton: 'zero' | 'reward';
}

/** Sum and count of a group, then its mean and spread. */
interface Group {
  count: number;
  mean: number;
  squares: number;
}

/**
 * Rewards relative to their group: (r - mean) / (std + epsilon). A missing score is null: it stays out of the group's mean
 * and gets 0. Two passes, so that a mean far from 0 costs no digits.
 * Source: GRPO. With step indices as groups: the integrated rewards of OpenClaw-RL, normalised over samples of the same step.
 *
 * @param rewards [N] null where there is no score
 * @param groups [N] equal numbers belong together
 * @returns [N]
 * @throws LengthMismatchError
 */
export const normalizeRewards = (
  rewards: readonly (number | null)[],
  groups: readonly number[],
  { scale, epsilon, ofSingleton }: RewardNormalization,
): Float64Array => {
  if (rewards.length !== groups.length) {
    throw new LengthMismatchError(
      `rewards has ${rewards.length} entries and groups has ${groups.length}: give both one per sample`,
    );
  }
  const byGroup = describeGroups(rewards, groups);
  return Float64Array.from(rewards, (reward, i) => {
    const group = byGroup.get(groups[i] as number);
    if (reward === null || group === undefined) return 0;
    if (group.count === 1) return ofSingleton === 'zero' ? 0 : reward;
    const centred = reward - group.mean;
    return scale === 'none' ? centred : centred / (Math.sqrt(group.squares / (group.count - 1)) + epsilon);
  });
};

const describeGroups = (rewards: readonly (number | null)[], groups: readonly number[]): ReadonlyMap<number, Group> => {
  const found = new Map<number, Group>();
  const eachScored = (visit: (group: Group, reward: number) => void): void => {
    rewards.forEach((reward, i) => {
      if (reward === null) return;
      const key = groups[i] as number;
      const group = found.get(key) ?? { count: 0, mean: 0, squares: 0 };
      found.set(key, group);
      visit(group, reward);
    });
  };
  eachScored((group, reward) => {
    group.count += 1;
    group.mean += reward;
  });
  for (const group of found.values()) group.mean /= group.count;
  eachScored((group, reward) => {
    group.squares += (reward - group.mean) ** 2;
  });
  return found;
};
