import { broadcastReward } from './broadcast-reward';
import { requireSameLength, type Numbers } from './numbers';

/**
 * OPD's token advantage: A_t = log p_teacher(a_t | s + hint) - log p_old(a_t | s), in nats. Positive where the teacher, who
 * knows the hint, finds the token likelier than the policy that sampled it did. Both at the same temperature.
 * Source: on-policy distillation of OpenClaw-RL.
 *
 * @param teacherLogProbs [R]
 * @param oldLogProbs [R] as sampled
 * @returns [R]
 * @throws LengthMismatchError
 */
export const opdAdvantages = (teacherLogProbs: Numbers, oldLogProbs: Numbers): Float64Array => {
  requireSameLength({ teacherLogProbs, oldLogProbs });
  const advantages = new Float64Array(oldLogProbs.length);
  for (let i = 0; i < advantages.length; i += 1) {
    advantages[i] = (teacherLogProbs[i] as number) - (oldLogProbs[i] as number);
  }
  return advantages;
};

export interface CombinedSignal {
  /** r; 0 where nobody scored the turn. */
  readonly reward: number;
  /** [R]; null: no hint, so no OPD term. */
  readonly teacherLogProbs: Numbers | null;
  /** [R] as sampled. */
  readonly oldLogProbs: Numbers;
  /** w_binary. */
  readonly binaryWeight: number;
  /** w_opd. */
  readonly opdWeight: number;
}

/**
 * Combine: A_t = w_binary * r + w_opd * (log p_teacher - log p_old). Without a teacher the second term is left out, whatever
 * the old log-probs are.
 * Source: the combined method of OpenClaw-RL.
 *
 * @returns [R]
 * @throws LengthMismatchError
 */
export const combinedAdvantages = (signal: CombinedSignal): Float64Array => {
  const { reward, teacherLogProbs, oldLogProbs, binaryWeight, opdWeight } = signal;
  const scalar = binaryWeight * reward;
  if (teacherLogProbs === null) return broadcastReward(scalar, oldLogProbs.length);
  const advantages = opdAdvantages(teacherLogProbs, oldLogProbs);
  for (let i = 0; i < advantages.length; i += 1) advantages[i] = scalar + opdWeight * (advantages[i] as number);
  return advantages;
};
