import { IsIn, IsNumber, IsOptional, IsString, Matches, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { isSessionName, SESSION_NAME_FORM } from '../http/session-name';

/** Body of `POST /v1/feedback`: which answer, and what a person says of it. */
export class FeedbackDto {
  @IsOptional()
  @Matches(/^[-\w]{1,64}$/, { message: 'must be the x-rl-turn-id of an answer' })
  turn_id?: string;

  /** In place of `turn_id`: the last answer of this session. */
  @IsOptional()
  @ValidateBy({
    name: 'isSessionName',
    validator: { validate: isSessionName, defaultMessage: () => `must be ${SESSION_NAME_FORM}` },
  })
  session_id?: string;

  @IsOptional()
  @IsIn([1, -1, 0], { message: 'must be 1, -1 or 0' })
  score?: 1 | -1 | 0;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(100_000)
  text?: string;

  /** How the whole session went. */
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  outcome?: number;
}
