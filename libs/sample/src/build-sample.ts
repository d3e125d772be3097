import type { Score } from '@app/advantage';
import { checkSample } from './check-sample';
import { demand, readIds, readLogProbs } from './read-value';
import {
  SAMPLE_SCHEMA_VERSION,
  type PolicyVersionRange,
  type RewardSource,
  type Sample,
  type SampleMetadata,
  type SampleSampling,
  type SampleStatus,
} from './sample';
import { SampleInvariantError } from './sample-error';

/** One model call as the gateway captured it, ids and log-probs from the engine itself. */
export interface CapturedTurn {
  readonly turnId: string;
  readonly sessionKey: string;
  /** Messages of the request, if the sample shall carry them. */
  readonly messages?: readonly unknown[] | null;
  readonly promptIds: readonly number[] | Int32Array;
  readonly responseIds: readonly number[] | Int32Array;
  /** One per response id. */
  readonly logProbs: readonly number[] | Float64Array;
  readonly finishReason: string;
  readonly responseText: string;
  readonly weightVersions: readonly string[];
  readonly policyVersion: PolicyVersionRange;
  readonly sampling: SampleSampling;
  readonly logProbsTempered: boolean | null;
  readonly route: string;
}

/** What a teacher that was given a hint said of the response's tokens. */
export interface TeacherSignal {
  readonly hint: string;
  /** One per response id. */
  readonly logProbs: readonly number[] | Float64Array;
  /** K per response id, with a mark where there are none. */
  readonly top: {
    readonly logProbs: Float64Array;
    readonly ids: Int32Array;
    readonly present: Uint8Array;
  } | null;
}

/** What was found out about the turn. */
export interface SampleOutcome {
  /** 0: none, the teacher alone trains. */
  readonly reward: number;
  readonly votes?: readonly (Score | null)[];
  readonly source: RewardSource;
  readonly teacher?: TeacherSignal | null;
  /** Of an integrated reward: which step of its session the turn was, and how that went. @default null */
  readonly step?: { readonly index: number; readonly outcome: number | null } | null;
  /** @default binary with weights of 1 */
  readonly training?: Pick<SampleMetadata, 'method' | 'weights'>;
}

const BINARY: Pick<SampleMetadata, 'method' | 'weights'> = { method: 'binary', weights: { binary_reward: 1, opd: 1 } };

const statusOf = (finishReason: string): SampleStatus => {
  switch (finishReason) {
    case 'stop':
    case 'tool_calls':
    case 'function_call':
      return 'completed';
    case 'length':
      return 'truncated';
    default:
      throw new SampleInvariantError(
        'finish_reason',
        `must be stop, tool_calls, function_call or length, got ${finishReason}`,
      );
  }
};

/**
 * The training sample of one judged turn: every response token is trained on.
 *
 * @throws SampleInvariantError naming the field, when the captured values do not fit together
 */
export const buildSample = (turn: CapturedTurn, outcome: SampleOutcome): Sample => {
  const promptIds = readIds(turn.promptIds, 'prompt ids');
  const responseIds = readIds(turn.responseIds, 'response ids');
  demand(promptIds.length > 0, 'prompt ids', 'are empty: the first response token has nothing to follow');
  const { teacher = null } = outcome;
  const tokens = new Int32Array(promptIds.length + responseIds.length);
  tokens.set(promptIds);
  tokens.set(responseIds, promptIds.length);
  return checkSample({
    schema_version: SAMPLE_SCHEMA_VERSION,
    index: null,
    group_index: null,
    prompt: turn.messages ?? null,
    tokens,
    response: turn.responseText,
    response_length: responseIds.length,
    reward: { score: outcome.reward },
    loss_mask: new Uint8Array(responseIds.length).fill(1),
    rollout_log_probs: readLogProbs(turn.logProbs, 'rollout_log_probs').slice(),
    teacher_log_probs: teacher === null ? null : readLogProbs(teacher.logProbs, 'teacher_log_probs').slice(),
    teacher_topk_log_probs: teacher?.top?.logProbs.slice() ?? null,
    teacher_topk_indices: teacher?.top?.ids.slice() ?? null,
    teacher_topk_mask: teacher?.top?.present.slice() ?? null,
    weight_versions: [...turn.weightVersions],
    status: statusOf(turn.finishReason),
    metadata: {
      turn_id: turn.turnId,
      session_key: turn.sessionKey,
      policy_version: { ...turn.policyVersion },
      sampling: { ...turn.sampling },
      log_probs_tempered: turn.logProbsTempered,
      route: turn.route,
      finish_reason: turn.finishReason,
      votes: outcome.votes ? [...outcome.votes] : null,
      reward_source: outcome.source,
      ...(outcome.training ?? BINARY),
      hint: teacher?.hint ?? null,
      step_index: outcome.step?.index ?? null,
      session_outcome: outcome.step?.outcome ?? null,
    },
  });
};
