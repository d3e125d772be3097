import { Module } from '@nestjs/common';
import { VotingModule } from '@app/voting';
import { TeachingModule } from '../teaching/teaching.module';
import { HintPublisher } from './hint-publisher';
import { HintVotesService } from './hint-votes.service';
import { HintService } from './hint.service';
import { TurnFollowedHandler } from './turn-followed.handler';

/** From followed turns to hints and the teacher's log-probs. */
@Module({
  imports: [VotingModule, TeachingModule],
  providers: [HintVotesService, HintService, HintPublisher, TurnFollowedHandler],
})
export class HintingModule {}
