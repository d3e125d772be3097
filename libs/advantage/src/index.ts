export { binaryReward, type BinaryReward } from './binary-reward';
export { isDecided, majorityVote } from './majority-vote';
export type { Score } from './score';
