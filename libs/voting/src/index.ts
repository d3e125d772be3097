export { StoppingError } from './errors';
export { FollowWorker, type FollowWork } from './follow-worker';
export { writeFollowedTurn, type FollowedTurn } from './followed-turn';
export { requireJudge, type Question } from './judge-engine';
export { outageDelayMs } from './outage-delay';
export { votingReadiness } from './readiness';
export { TurnReader, type ReadTurn, type StoredTurn } from './turn-reader';
export { Voter, type Motion, type Poll, type PollOptions } from './voter';
export { VotingModule } from './voting.module';
