import { checkLogProbs } from './log-probs';
import { demand } from './read-value';
import type { Sample } from './sample';

/**
 * Checks what a sample says of its teacher: nothing at all, or one log-prob for each response token; with top-K distillation
 * also K log-probs and ids for each.
 *
 * @throws SampleInvariantError naming the field
 */
export const checkTeacher = (sample: Sample): void => {
  const { teacher_log_probs: logProbs, response_length: length } = sample;
  if (logProbs !== null) {
    demand(logProbs instanceof Float64Array, 'teacher_log_probs', 'must be a Float64Array or null');
    demand(
      logProbs.length === length,
      'teacher_log_probs',
      `has ${logProbs.length} entries for ${length} response ids`,
    );
    checkLogProbs(logProbs, 'teacher_log_probs');
  }
  checkTopK(sample);
};

const checkTopK = (sample: Sample): void => {
  const { teacher_topk_log_probs: logProbs, teacher_topk_indices: ids, teacher_topk_mask: mask } = sample;
  if (logProbs === null && ids === null && mask === null) return;
  const length = sample.response_length;
  demand(logProbs instanceof Float64Array, 'teacher_topk_log_probs', 'must be a Float64Array, with ids and mask');
  demand(ids instanceof Int32Array, 'teacher_topk_indices', 'must be an Int32Array, with log-probs and mask');
  demand(mask instanceof Uint8Array, 'teacher_topk_mask', 'must be a Uint8Array, with log-probs and ids');
  demand(sample.teacher_log_probs !== null, 'teacher_topk_log_probs', 'need teacher_log_probs');
  demand(mask.length === length, 'teacher_topk_mask', `has ${mask.length} entries for ${length} response ids`);
  const isWhole = ids.length > 0 && ids.length % length === 0;
  demand(isWhole, 'teacher_topk_indices', `has ${ids.length} entries, not K for each of ${length} response ids`);
  demand(
    logProbs.length === ids.length,
    'teacher_topk_log_probs',
    `has ${logProbs.length} entries for ${ids.length} ids`,
  );
  checkLogProbs(logProbs, 'teacher_topk_log_probs');
  const badId = ids.findIndex((id) => id < 0);
  demand(badId === -1, `teacher_topk_indices[${badId}]`, `must not be negative, got ${ids[badId]}`);
};
