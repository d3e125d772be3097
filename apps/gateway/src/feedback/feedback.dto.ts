import { IsOptional } from 'class-validator';
import { IsAllowed, IsFiniteNumber, IsText } from '@app/http';
import { isSessionName, SESSION_NAME_FORM } from '../http/session-name';

const isTurnId = (value: unknown): boolean => typeof value === 'string' && /^[-\w]{1,64}$/.test(value);
const isScore = (value: unknown): boolean => value === 1 || value === -1 || value === 0;

const isBlank = (value: unknown): boolean => typeof value === 'string' && /^\s+$/.test(value);

/** Body of `POST /v1/feedback`: which answer, and what a person says of it. */
export class FeedbackDto {
  @IsOptional()
  @IsAllowed('the x-rl-turn-id of an answer', isTurnId)
  turn_id?: string;

  /** In place of `turn_id`: the last answer of this session. */
  @IsOptional()
  @IsAllowed(SESSION_NAME_FORM, isSessionName)
  @IsAllowed('left out where turn_id is given', (_name, { turn_id }) => turn_id === undefined)
  session_id?: string;

  @IsOptional()
  @IsAllowed('1, -1 or 0', isScore)
  score?: 1 | -1 | 0;

  @IsOptional()
  @IsText(1, 100_000)
  @IsAllowed('more than white space', (value) => !isBlank(value))
  text?: string;

  /** How the whole session went. */
  @IsOptional()
  @IsFiniteNumber()
  outcome?: number;
}
