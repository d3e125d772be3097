import { Module } from '@nestjs/common';
import { FollowQueue } from './follow-queue';
import { JudgeEngine } from './judge-engine';
import { ModelGate } from './model-gate';
import { TurnReader } from './turn-reader';
import { Voter } from './voter';

/** The judge, and the turns that it is asked about. */
@Module({
  providers: [ModelGate, JudgeEngine, Voter, TurnReader, FollowQueue],
  exports: [ModelGate, Voter, FollowQueue],
})
export class VotingModule {}
