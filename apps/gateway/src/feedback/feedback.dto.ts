import { IsOptional } from 'class-validator';
import { IsAllowed, IsFiniteNumber } from '@app/http';
import { isSessionName, SESSION_NAME_FORM } from '../http/session-name';
import { RatingDto } from './rating.dto';

const isTurnId = (value: unknown): boolean => typeof value === 'string' && /^[-\w]{1,64}$/.test(value);

/** Body of `POST /v1/feedback`: which answer, and what a person says of it. */
export class FeedbackDto extends RatingDto {
  @IsOptional()
  @IsAllowed('the x-rl-turn-id of an answer', isTurnId)
  turn_id?: string;

  /** In place of `turn_id`: the last answer of this session. */
  @IsOptional()
  @IsAllowed(SESSION_NAME_FORM, isSessionName)
  @IsAllowed('left out where turn_id is given', (_name, { turn_id }) => turn_id === undefined)
  session_id?: string;

  /** How the whole session went. */
  @IsOptional()
  @IsFiniteNumber()
  outcome?: number;
}
