import { Module } from '@nestjs/common';
import { VotingModule } from '@app/voting';
import { JudgeService } from './judge.service';
import { TurnFollowedHandler } from './turn-followed.handler';
import { VerdictPublisher } from './verdict-publisher';

/** From followed turns to verdicts. */
@Module({
  imports: [VotingModule],
  providers: [JudgeService, VerdictPublisher, TurnFollowedHandler],
})
export class JudgingModule {}
