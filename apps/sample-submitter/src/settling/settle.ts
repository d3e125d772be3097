import { dispatchSignals, integratedReward, type IntegratedWeights, type Score } from '@app/advantage';
import type { RlSettings } from '@app/config';
import { countAnswers } from '@app/chat';
import type { NoHintReason, SettleReason } from '@app/contracts';
import { buildSample, SampleInvariantError, type RewardSource, type Sample, type TeacherSignal } from '@app/sample';
import { captureTurn, type StoredTurn } from './capture-turn';

/** What was found out about a turn: by votes, or by a person. `score` null is "not judged". */
export interface Verdict {
  readonly score: Score | null;
  readonly source: Exclude<RewardSource, 'none'>;
  readonly votes?: readonly (Score | null)[];
}

/** What the hint teacher has found out. */
export interface Hindsight {
  /** null: no log-probs, for the reason beside it. */
  readonly teacher: TeacherSignal | null;
  readonly reason: NoHintReason | null;
  /** A hint was accepted, whatever became of it. */
  readonly hasHint: boolean;
}

/** Both halves of what is known of a turn; null where the method does not ask for it. */
export interface Findings {
  readonly verdict: Verdict | null;
  readonly hindsight: Hindsight | null;
  /** How the whole session went, with integrated rewards; null: nobody said it in time. */
  readonly sessionOutcome?: number | null;
}

export type Outcome =
  | { readonly kind: 'sample'; readonly sample: Sample }
  | { readonly kind: 'reason'; readonly reason: SettleReason; readonly detail?: string };

export interface Training extends Pick<RlSettings, 'algorithm' | 'binaryRewardWeight' | 'opdWeight' | 'evalMode'> {
  /** null: a turn's own score is its reward. */
  readonly integrated: IntegratedWeights | null;
  /** How heartbeats begin that somebody has worded anew: they are no steps of a session. */
  readonly heartbeatPrompts: readonly string[];
}

const reasonOf = (reason: SettleReason, detail?: string): Outcome => ({
  kind: 'reason',
  reason,
  ...(detail === undefined ? {} : { detail }),
});

const votesOf = (verdict: Verdict | null): readonly (Score | null)[] => verdict?.votes ?? [verdict?.score ?? null];

/** Whether a turn's reward needs the outcome of its session: it has votes, and is none that is excluded anyway. */
export const needsOutcome = (
  exclusion: StoredTurn['info']['exclusion'],
  verdict: Verdict | null,
  { integrated }: Pick<Training, 'integrated'>,
): boolean => integrated !== null && exclusion === undefined && votesOf(verdict).some((vote) => vote !== null);

/**
 * What becomes of one turn: a sample by the rules of the method, or a reason. What excludes the turn itself comes first, then
 * what was found out; values that do not make a sample are never padded or cut, the turn is `incomplete`. A signal of weight
 * 0 is no signal: its samples would train nothing.
 */
export const settleTurn = (turn: StoredTurn, findings: Findings, training: Training): Outcome => {
  const { exclusion } = turn.info;
  if (exclusion !== undefined) return reasonOf(exclusion, turn.body.head.detail);
  const { verdict, hindsight } = findings;
  const { algorithm, binaryRewardWeight, opdWeight, evalMode } = training;
  const isRewarded = !evalMode && binaryRewardWeight > 0;
  const teacher = opdWeight > 0 ? (hindsight?.teacher ?? null) : null;
  const score = isRewarded ? rewardOf(findings, training.integrated) : null;
  const isRelative = training.integrated !== null;
  const dispatch = dispatchSignals(algorithm, { score, hasTeacher: teacher !== null, isRelative });
  if (dispatch.kind === 'none') {
    if (algorithm === 'opd' || !isRewarded) return withoutTeacher(findings);
    const isOutcomeMissing = needsOutcome(exclusion, verdict, training);
    return reasonOf(isOutcomeMissing ? 'no_outcome' : dispatch.reason, hindsight?.reason ?? undefined);
  }
  try {
    const isScored = isRelative ? score !== null : dispatch.reward !== 0;
    const sample = buildSample(captureTurn(turn), {
      reward: dispatch.reward,
      source: isScored && verdict !== null ? verdict.source : 'none',
      votes: verdict?.votes,
      teacher: dispatch.usesTeacher ? teacher : null,
      step:
        isRelative && isScored
          ? {
              index: countAnswers(turn.body.head.messages, training.heartbeatPrompts),
              outcome: findings.sessionOutcome ?? null,
            }
          : null,
      training: { method: algorithm, weights: { binary_reward: binaryRewardWeight, opd: opdWeight } },
    });
    return { kind: 'sample', sample };
  } catch (error) {
    if (error instanceof SampleInvariantError) return reasonOf('incomplete', error.message);
    throw error;
  }
};

/** The turn's own score, or, integrated, its votes and the outcome of its session; null: not judged, or no outcome. */
const rewardOf = ({ verdict, sessionOutcome }: Findings, integrated: IntegratedWeights | null): number | null =>
  integrated === null
    ? (verdict?.score ?? null)
    : integratedReward(sessionOutcome ?? null, votesOf(verdict), integrated);

/** Why a turn that only a teacher could have made a sample of is none. */
const withoutTeacher = ({ hindsight }: Findings): Outcome => {
  // Votes were asked for and make no rewards, and no teacher is asked.
  if (hindsight === null) return reasonOf('evaluated');
  const { reason, hasHint } = hindsight;
  if (reason === 'temperature_mismatch') return reasonOf(reason);
  return reasonOf(hasHint ? 'no_teacher' : 'no_hint', reason ?? undefined);
};

/** What a sample trains on. */
export const signalOf = (sample: Sample): 'reward' | 'teacher' | 'both' => {
  if (sample.teacher_log_probs === null) return 'reward';
  return sample.metadata.reward_source === 'none' ? 'teacher' : 'both';
};
