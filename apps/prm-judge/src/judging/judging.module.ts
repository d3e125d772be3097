import { Module } from '@nestjs/common';
import { JudgeEngine } from './judge-engine';
import { JudgeService } from './judge.service';
import { TurnFollowedHandler } from './turn-followed.handler';
import { TurnReader } from './turn-reader';
import { VerdictPublisher } from './verdict-publisher';

/** From followed turns to verdicts. */
@Module({
  providers: [JudgeEngine, JudgeService, TurnReader, VerdictPublisher, TurnFollowedHandler],
  exports: [JudgeService],
})
export class JudgingModule {}
