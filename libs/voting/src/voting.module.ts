import { Module } from '@nestjs/common';
import { JudgeEngine } from './judge-engine';
import { TurnReader } from './turn-reader';
import { Voter } from './voter';

/** The judge, and the turns that it is asked about. */
@Module({ providers: [JudgeEngine, Voter, TurnReader], exports: [Voter, TurnReader] })
export class VotingModule {}
