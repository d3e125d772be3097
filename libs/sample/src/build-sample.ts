import type { Score } from '@app/advantage';
import { checkSample } from './check-sample';
import { demand, readIds, readLogProbs } from './read-value';
import {
  SAMPLE_SCHEMA_VERSION,
  type PolicyVersionRange,
  type RewardSource,
  type Sample,
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

/** What was found out about the turn. */
export interface SampleOutcome {
  readonly reward: number;
  readonly votes?: readonly (Score | null)[];
  readonly source: RewardSource;
}

const statusOf = (finishReason: string): SampleStatus => {
  switch (finishReason) {
    case 'stop':
    case 'tool_calls':
      return 'completed';
    case 'length':
      return 'truncated';
    default:
      throw new SampleInvariantError('finish_reason', `must be stop, tool_calls or length, got ${finishReason}`);
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
    },
  });
};
