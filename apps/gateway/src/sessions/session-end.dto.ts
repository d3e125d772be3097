import { IsOptional } from 'class-validator';
import { IsFiniteNumber } from '@app/http';

/** Body of `POST /v1/sessions/{id}/end`. */
export class SessionEndDto {
  /** How the whole session went, as the client rates it. */
  @IsOptional()
  @IsFiniteNumber()
  outcome?: number;
}
