import { Injectable } from '@nestjs/common';
import { selectHint, type HintVote } from '@app/chat';
import { Settings } from '@app/config';
import type { HintVoteCast, NoHintReason } from '@app/contracts';
import { Voter, type FollowedTurn, type Motion, type PollOptions } from '@app/voting';
import { buildHintPrompt, HINT_SCHEMA, readHintVote } from './hint-form';

/** What the votes on one turn came to. */
export interface HintDecision {
  readonly votes: HintVoteCast[];
  /** Place of the vote whose hint is taken; null: none. */
  readonly selected: number | null;
  /** Why none is; null if one is. */
  readonly reason: NoHintReason | null;
}

/** Has a hint voted on: the longest of those that say that there is one. */
@Injectable()
export class HintVotesService {
  constructor(
    private readonly voter: Voter,
    private readonly settings: Settings,
  ) {}

  /** The model that votes, as its server calls it. */
  get model(): string {
    return this.voter.model;
  }

  /** @throws OutageError if not all votes could be asked for: the turn has to come again later */
  async decide(turn: FollowedTurn, options: PollOptions): Promise<HintDecision> {
    const { votes, failure } = await this.voter.poll(this.motionOn(turn), options);
    const cast = votes.map(({ answer, text, millis }) => ({
      decision: answer?.decision ?? null,
      hint: answer?.hint ?? '',
      text,
      millis,
    }));
    if (failure !== null) return { votes: cast, selected: null, reason: failure };
    const selected = selectHint(votes.map((vote) => vote.answer));
    return { votes: cast, selected, reason: selected === null ? 'no_hint' : null };
  }

  private motionOn(turn: FollowedTurn): Motion<HintVote> {
    return {
      messages: (form) => buildHintPrompt(turn, form),
      schema: HINT_SCHEMA,
      read: readHintVote,
      // Only all of them know which hint is the longest.
      isDecided: (votes) => votes.length >= this.settings.judge.votes,
      resultOf: ({ decision }) => (decision === 1 ? 'hint' : 'no_hint'),
    };
  }
}
