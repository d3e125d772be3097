import { Module } from '@nestjs/common';
import { JudgeEngine } from './judge-engine';
import { ModelGate } from './model-gate';
import { TurnReader } from './turn-reader';
import { Voter } from './voter';

/** The judge, and the turns that it is asked about. */
@Module({ providers: [ModelGate, JudgeEngine, Voter, TurnReader], exports: [ModelGate, Voter, TurnReader] })
export class VotingModule {}
