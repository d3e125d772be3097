import { LOG_PROB_SLACK } from '@app/sample';
import type { RecordedAnswer } from './answer-recorder';

/** Token ids and log-probs of a turn that can be trained on, or why it cannot. */
export type CaptureVerdict =
  | {
      readonly kind: 'exact';
      readonly promptIds: Int32Array;
      readonly responseIds: Int32Array;
      readonly logProbs: Float64Array;
    }
  | {
      readonly kind: 'excluded';
      readonly reason: 'undelivered' | 'upstream_error' | 'incomplete' | 'no_token_ids';
      readonly detail?: string;
    };

/** Answers that ended in another way are cut off in the middle of a thought. */
const WHOLE = new Set(['stop', 'length', 'tool_calls', 'function_call']);

const incomplete = (detail: string): CaptureVerdict => ({ kind: 'excluded', reason: 'incomplete', detail });

/**
 * Exact or not at all: the engine's own ids with one finite log-prob each, or a reason. Nothing is padded, cut or made up.
 */
export const judgeCapture = (answer: RecordedAnswer): CaptureVerdict => {
  if (answer.failed) return { kind: 'excluded', reason: 'upstream_error' };
  if (answer.finishReason === null) return incomplete('no_finish_reason');
  if (!WHOLE.has(answer.finishReason)) return incomplete('aborted');
  const { promptIds, responseIds, logProbs } = answer;
  if (responseIds === null || promptIds === null) return { kind: 'excluded', reason: 'no_token_ids' };
  if (promptIds.length === 0) return incomplete('empty_prompt');
  if (responseIds.length === 0) return incomplete('empty_response');
  if (answer.isContradictory) return incomplete('ids_mismatch');
  if (logProbs.length !== responseIds.length) return incomplete('length_mismatch');
  if (answer.completionTokens !== null && answer.completionTokens !== responseIds.length) {
    return incomplete('usage_mismatch');
  }
  if (!logProbs.every((value) => value !== null && Number.isFinite(value) && value <= LOG_PROB_SLACK)) {
    return incomplete('bad_log_prob');
  }
  return {
    kind: 'exact',
    promptIds: new Int32Array(promptIds),
    responseIds: new Int32Array(responseIds),
    logProbs: new Float64Array(logProbs as readonly number[]),
  };
};
