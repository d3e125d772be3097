import { IsOptional } from 'class-validator';
import { IsAllowed, IsText } from '@app/http';

const isScore = (value: unknown): boolean => value === 1 || value === -1 || value === 0;
const isBlank = (value: unknown): boolean => typeof value === 'string' && /^\s+$/.test(value);

/** What a person says of an answer. */
export class RatingDto {
  @IsOptional()
  @IsAllowed('1, -1 or 0', isScore)
  score?: 1 | -1 | 0;

  @IsOptional()
  @IsText(1, 100_000)
  @IsAllowed('more than white space', (value) => !isBlank(value))
  text?: string;
}
