import { BadRequestException } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { IsName, IsWholeNumber } from '@app/http';

const MAX_SAMPLES = 4096;
const LONGEST_WAIT_MS = 300_000;
export const LONGEST_LEASE_MS = 3_600_000;

/** What every changing request carries: the same id of the same trainer gets the same answer, however often it is sent. */
export class RequestBody {
  @IsName()
  readonly request_id!: string;
}

/** `POST /v1/samples/lease` */
export class LeaseBody extends RequestBody {
  /** Samples wanted. @default rl.rollout_steps */
  @IsOptional()
  @IsWholeNumber(1, MAX_SAMPLES)
  readonly max?: number;

  /** With fewer there is no lease; not over `max`. @default 1 */
  @IsOptional()
  @IsWholeNumber(1, MAX_SAMPLES)
  readonly min?: number;

  /** How long to wait until `max` samples are there. @default 0 */
  @IsOptional()
  @IsWholeNumber(0, LONGEST_WAIT_MS)
  readonly wait_ms?: number;

  /** @default door.lease_s */
  @IsOptional()
  @IsWholeNumber(1, LONGEST_LEASE_MS)
  readonly lease_ms?: number;

  /** Name of the trainer: its request ids are its own, and `slime.num_workers` counts it. @default the client's address */
  @IsOptional()
  @IsName()
  readonly trainer?: string;
}

/** How many samples a lease asks for: `most` without `max`. @throws BadRequestException for a `min` that no lease can reach. */
export const boundsOf = ({ min = 1, max }: LeaseBody, most: number): { readonly min: number; readonly max: number } => {
  const bound = max ?? most;
  if (min <= bound) return { min, max: bound };
  const where = max === undefined ? `rl.rollout_steps (${bound}) where max is left out` : `max (${bound})`;
  throw new BadRequestException(`min: must be at most ${where}, got ${min}`);
};

/** `POST /v1/samples/leases/{id}/extend` */
export class ExtendBody extends RequestBody {
  /** The lease ends so long from now. @default door.lease_s */
  @IsOptional()
  @IsWholeNumber(1, LONGEST_LEASE_MS)
  readonly lease_ms?: number;
}
