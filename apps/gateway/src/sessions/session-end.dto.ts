import { IsNumber, IsOptional } from 'class-validator';

/** Body of `POST /v1/sessions/{id}/end`. */
export class SessionEndDto {
  /** How the whole session went, as the client rates it. */
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  outcome?: number;
}
