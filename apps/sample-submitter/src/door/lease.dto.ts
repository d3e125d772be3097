import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

const MAX_SAMPLES = 4096;
const LONGEST_WAIT_MS = 300_000;
export const LONGEST_LEASE_MS = 3_600_000;
/** Ids and names as trainers write them. */
export const NAME = /^[\x21-\x7e]{1,128}$/;
export const NAME_FORM = { message: '$property must be 1 to 128 visible ASCII characters' };

/** What every changing request carries: the same id of the same trainer gets the same answer, however often it is sent. */
export class RequestBody {
  @IsString()
  @Matches(NAME, NAME_FORM)
  readonly request_id!: string;
}

/** `POST /v1/samples/lease` */
export class LeaseBody extends RequestBody {
  /** Samples wanted. @default rl.rollout_steps */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_SAMPLES)
  readonly max?: number;

  /** With fewer there is no lease. @default 1 */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_SAMPLES)
  readonly min?: number;

  /** How long to wait until `max` samples are there. @default 0 */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(LONGEST_WAIT_MS)
  readonly wait_ms?: number;

  /** @default door.lease_s */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LONGEST_LEASE_MS)
  readonly lease_ms?: number;

  /** Name of the trainer: its request ids are its own, and `slime.num_workers` counts it. @default the client's address */
  @IsOptional()
  @IsString()
  @Matches(NAME, NAME_FORM)
  readonly trainer?: string;
}

/** `POST /v1/samples/leases/{id}/extend` */
export class ExtendBody extends RequestBody {
  /** The lease ends so long from now. @default door.lease_s */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LONGEST_LEASE_MS)
  readonly lease_ms?: number;
}
