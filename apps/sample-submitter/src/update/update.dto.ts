import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  Validate,
} from 'class-validator';
import type { ValidatorConstraintInterface } from 'class-validator';
import { ValidatorConstraint } from 'class-validator';
import { LONGEST_LEASE_MS, NAME, NAME_FORM, RequestBody } from '../door/lease.dto';

const MAX_LEASES = 64;
const MAX_METRICS = 64;
const MAX_PATH = 4096;
const MAX_REASON = 500;
const METRIC = /^[\x21-\x7e]{1,128}$/;

/** `POST /v1/policy/updates` */
export class BeginBody extends RequestBody {
  /** Leases whose samples the new weights are trained on. @default none */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_LEASES)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(NAME, { each: true, message: '$property must be ids of leases' })
  readonly lease_ids?: readonly string[];

  /** Name of the trainer. @default the client's address */
  @IsOptional()
  @IsString()
  @Matches(NAME, NAME_FORM)
  readonly trainer?: string;

  /** The gate opens so long from now if the trainer is not heard of again. @default gate.lease_s */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LONGEST_LEASE_MS)
  readonly lease_ms?: number;
}

/** `POST /v1/policy/updates/{token}/extend` */
export class ExtendUpdateBody {
  /** @default gate.lease_s */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LONGEST_LEASE_MS)
  readonly lease_ms?: number;
}

@ValidatorConstraint({ name: 'metrics' })
class MetricsConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return entries.length <= MAX_METRICS && entries.every(([name, each]) => METRIC.test(name) && Number.isFinite(each));
  }

  defaultMessage(): string {
    return `metrics must be at most ${MAX_METRICS} finite numbers by their names`;
  }
}

/** `POST /v1/policy/updates/{token}/commit`. One of the two names the weights. */
export class CommitBody {
  /** The engines' own name of the weights, which the trainer has put into them. */
  @IsOptional()
  @IsString()
  @Matches(NAME, NAME_FORM)
  readonly engine_version?: string;

  /** Folder of weights to load, as the engines' machines see it. */
  @IsOptional()
  @IsString()
  @Matches(/^.+$/)
  @MaxLength(MAX_PATH)
  readonly weights_path?: string;

  /** Numbers of the training, told with the new version. */
  @IsOptional()
  @Validate(MetricsConstraint)
  readonly metrics?: Readonly<Record<string, number>>;
}

/** `POST /v1/policy/updates/{token}/abort` */
export class AbortBody {
  /** Why, for the history. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_REASON)
  readonly reason?: string;
}
