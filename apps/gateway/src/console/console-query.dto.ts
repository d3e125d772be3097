import { IsOptional } from 'class-validator';
import {
  CAPTURE_ROUTES,
  isSubjectToken,
  TURN_FATES,
  type CaptureRoute,
  type TurnFate,
  type TurnsRequest,
} from '@app/contracts';
import { IsAllowed } from '@app/http';
import { isSessionName, SESSION_NAME_FORM } from '../http/session-name';

const isId = (value: unknown): boolean => typeof value === 'string' && isSubjectToken(value);
const isOneOf =
  (names: readonly string[]) =>
  (value: unknown): boolean =>
    names.includes(value as string);
const isLimit = (value: unknown): boolean =>
  typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= 500;

/** Query of the list of turns. */
export class TurnsQueryDto {
  @IsOptional()
  @IsAllowed('a whole number from 1 to 500', isLimit)
  limit?: string;

  @IsOptional()
  @IsAllowed('the id of a turn', isId)
  after?: string;

  @IsOptional()
  @IsAllowed('the key of a session', isId)
  session?: string;

  @IsOptional()
  @IsAllowed('main or side', isOneOf(['main', 'side']))
  kind?: 'main' | 'side';

  @IsOptional()
  @IsAllowed(CAPTURE_ROUTES.join(', '), isOneOf(CAPTURE_ROUTES))
  route?: CaptureRoute;

  @IsOptional()
  @IsAllowed(TURN_FATES.join(', '), isOneOf(TURN_FATES))
  fate?: TurnFate;
}

/** Query of the list of sessions. */
export class SessionsQueryDto {
  @IsOptional()
  @IsAllowed(`the key of a session, or what its client calls it: ${SESSION_NAME_FORM}`, isSessionName)
  name?: string;
}

const DEFAULT_LIMIT = 100;

export const turnsRequestOf = ({ limit, ...filters }: TurnsQueryDto): TurnsRequest => ({
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
  ...filters,
});
