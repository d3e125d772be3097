import type { Sampling } from '@app/contracts';

/** Temperature of the teacher's log-probs, the only one at which engines score given tokens. */
const OF_TEACHER = 1;

export interface StudentLogProbs {
  readonly sampling: Pick<Sampling, 'temperature'>;
  /** Whether the log-probs were taken after the temperature; null: not known. */
  readonly logProbsTempered: boolean | null;
}

/**
 * Whether a turn's log-probs are those of the teacher's temperature, so that the two may be subtracted. Log-probs taken
 * before the temperature always are; others, also where it is not known, only at a temperature known to be 1.
 *
 * @param assumed the temperature where neither the client nor the configuration named one; null: not known
 */
export const isComparable = ({ sampling, logProbsTempered }: StudentLogProbs, assumed: number | null): boolean =>
  logProbsTempered === false || (sampling.temperature ?? assumed) === OF_TEACHER;
