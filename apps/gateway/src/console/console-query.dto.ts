import { IsOptional } from 'class-validator';
import {
  CAPTURE_ROUTES,
  isSubjectToken,
  TURN_FATES,
  type CaptureRoute,
  type TurnFate,
  type TurnsRequest,
} from '@app/contracts';
import { IsAllowed, IsText } from '@app/http';

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

const DEFAULT_LIMIT = 100;

export const turnsRequestOf = ({ limit, ...filters }: TurnsQueryDto): TurnsRequest => ({
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
  ...filters,
});

const isScore = (value: unknown): boolean => value === 1 || value === -1 || value === 0;
const isBlank = (value: unknown): boolean => typeof value === 'string' && /^\s+$/.test(value);

/** What a person says of a turn in the console. */
export class RatingDto {
  @IsOptional()
  @IsAllowed('1, -1 or 0', isScore)
  score?: 1 | -1 | 0;

  @IsOptional()
  @IsText(1, 100_000)
  @IsAllowed('more than white space', (value) => !isBlank(value))
  text?: string;
}
