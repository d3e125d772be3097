import { IsOptional } from 'class-validator';
import { IsAllowed, isName, IsName, IsText, IsWholeNumber } from '@app/http';
import { LONGEST_LEASE_MS, RequestBody } from '../door/lease.dto';

const MAX_LEASES = 64;
const MAX_METRICS = 64;
const MAX_PATH = 4096;
const MAX_REASON = 500;

const areLeaseIds = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_LEASES && value.every(isName) && new Set(value).size === value.length;

const areMetrics = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= MAX_METRICS && entries.every(([name, each]) => isName(name) && Number.isFinite(each));
};

const isPath = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_PATH && /^.+$/.test(value);

/** `POST /v1/policy/updates` */
export class BeginBody extends RequestBody {
  /** Leases whose samples the new weights are trained on. @default none */
  @IsOptional()
  @IsAllowed(`a list of at most ${MAX_LEASES} ids of leases, each once`, areLeaseIds)
  readonly lease_ids?: readonly string[];

  /** Name of the trainer. @default the client's address */
  @IsOptional()
  @IsName()
  readonly trainer?: string;

  /** The gate opens so long from now if the trainer is not heard of again. @default gate.lease_s */
  @IsOptional()
  @IsWholeNumber(1, LONGEST_LEASE_MS)
  readonly lease_ms?: number;
}

/** `POST /v1/policy/updates/{token}/extend` */
export class ExtendUpdateBody {
  /** @default gate.lease_s */
  @IsOptional()
  @IsWholeNumber(1, LONGEST_LEASE_MS)
  readonly lease_ms?: number;
}

/** `POST /v1/policy/updates/{token}/commit`. One of the two names the weights. */
export class CommitBody {
  /** The engines' own name of the weights, which the trainer has put into them. */
  @IsOptional()
  @IsName()
  readonly engine_version?: string;

  /** Folder of weights to load, as the engines' machines see it. */
  @IsOptional()
  @IsAllowed(`a path of 1 to ${MAX_PATH} characters, on one line`, isPath)
  readonly weights_path?: string;

  /** Numbers of the training, told with the new version. */
  @IsOptional()
  @IsAllowed(`an object of at most ${MAX_METRICS} finite numbers by their names`, areMetrics)
  readonly metrics?: Readonly<Record<string, number>>;
}

/** `POST /v1/policy/updates/{token}/abort` */
export class AbortBody {
  /** Why, for the history. */
  @IsOptional()
  @IsText(0, MAX_REASON)
  readonly reason?: string;
}
