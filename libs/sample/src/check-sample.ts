import { checkTeacher } from './check-teacher';
import { checkLogProbs } from './log-probs';
import { demand, isInteger, isObject } from './read-value';
import {
  METHODS,
  REWARD_SOURCES,
  SAMPLE_SCHEMA_VERSION,
  SAMPLE_STATUSES,
  type Sample,
  type SampleMetadata,
} from './sample';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value);
const isIndex = (value: unknown): boolean => value === null || isInteger(value, 0);
const isOneOf = (allowed: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && allowed.includes(value);
const isVote = (value: unknown): boolean => value === null || value === 1 || value === -1 || value === 0;

const checkMetadata = (metadata: SampleMetadata): void => {
  demand(isObject(metadata), 'metadata', 'must be an object');
  const { policy_version: version, sampling, votes } = metadata;
  demand(isText(metadata.turn_id), 'metadata.turn_id', 'must be a text');
  demand(isText(metadata.session_key), 'metadata.session_key', 'must be a text');
  demand(isObject(version), 'metadata.policy_version', 'must be {start, end}');
  demand(isInteger(version.start, 0), 'metadata.policy_version.start', 'must be an integer, 0 or more');
  const ordered = isInteger(version.end, version.start);
  demand(ordered, 'metadata.policy_version.end', `must be an integer, ${version.start} or more, got ${version.end}`);
  demand(isObject(sampling), 'metadata.sampling', 'must be {temperature, top_p, top_k}');
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    demand(isNumberOrNull(sampling[name]), `metadata.sampling.${name}`, 'must be a finite number or null');
  }
  const tempered: unknown = metadata.log_probs_tempered;
  demand(
    tempered === null || typeof tempered === 'boolean',
    'metadata.log_probs_tempered',
    'must be a boolean or null',
  );
  demand(isText(metadata.route), 'metadata.route', 'must be a text');
  demand(isText(metadata.finish_reason), 'metadata.finish_reason', 'must be a text');
  demand(
    votes === null || (Array.isArray(votes) && votes.every(isVote)),
    'metadata.votes',
    'must be 1, -1, 0 and null',
  );
  const source = metadata.reward_source;
  demand(isOneOf(REWARD_SOURCES, source), 'metadata.reward_source', `must be one of ${REWARD_SOURCES.join(', ')}`);
  demand(isOneOf(METHODS, metadata.method), 'metadata.method', `must be one of ${METHODS.join(', ')}`);
  const { hint, weights } = metadata;
  demand(hint === null || isText(hint), 'metadata.hint', 'must be a text or null');
  demand(isIndex(metadata.step_index), 'metadata.step_index', 'must be an integer, 0 or more, or null');
  demand(isNumberOrNull(metadata.session_outcome), 'metadata.session_outcome', 'must be a finite number or null');
  demand(isObject(weights), 'metadata.weights', 'must be {binary_reward, opd}');
  for (const name of ['binary_reward', 'opd'] as const) {
    demand(Number.isFinite(weights[name]) && weights[name] >= 0, `metadata.weights.${name}`, 'must be 0 or more');
  }
};

const checkSpans = ({ response_length: length, metadata: { policy_version: version } }: Sample): void => {
  const { spans } = version;
  if (spans === undefined) return;
  const name = 'metadata.policy_version.spans';
  const isSpan = (span: unknown): boolean => isObject(span) && isInteger(span.tokens, 1);
  const given: unknown = spans;
  demand(Array.isArray(given) && given.every(isSpan), name, 'must be spans');
  const rises = spans.every((span, i) => isInteger(span.version, spans[i - 1]?.version ?? version.start));
  demand(rises && (spans.at(-1)?.version ?? 0) <= version.end, name, 'must rise from start to end');
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0);
  demand(tokens === length, name, `hold ${tokens} tokens for ${length} response ids`);
};

const checkTokens = (sample: Sample): void => {
  const { tokens, response_length: length, loss_mask: mask, rollout_log_probs: logProbs } = sample;
  demand(tokens instanceof Int32Array, 'tokens', 'must be an Int32Array');
  demand(mask instanceof Uint8Array, 'loss_mask', 'must be a Uint8Array');
  demand(logProbs instanceof Float64Array, 'rollout_log_probs', 'must be a Float64Array');
  demand(isInteger(length, 1), 'response_length', `must be an integer, 1 or more, got ${length}`);
  demand(
    tokens.length > length,
    'tokens',
    `has ${tokens.length} ids: none is left for the prompt of ${length} response ids`,
  );
  demand(mask.length === length, 'loss_mask', `has ${mask.length} entries for ${length} response ids`);
  demand(logProbs.length === length, 'rollout_log_probs', `has ${logProbs.length} entries for ${length} response ids`);
  const badId = tokens.findIndex((id) => id < 0);
  demand(badId === -1, `tokens[${badId}]`, `must not be negative, got ${tokens[badId]}`);
  checkLogProbs(logProbs, 'rollout_log_probs');
  demand(
    mask.every((bit) => bit <= 1),
    'loss_mask',
    'must hold 0 and 1 only',
  );
  demand(mask.includes(1), 'loss_mask', 'trains on no token');
};

/**
 * Checks a sample's invariants and returns it: lengths that agree, ids and log-probs that can be trained on, at least one
 * trained token, versions in order. Run when a sample is built and whenever one is read.
 *
 * @throws SampleInvariantError naming the field
 */
export const checkSample = (sample: Sample): Sample => {
  demand(isObject(sample), 'value', 'must be an object');
  const { schema_version: version, weight_versions: weights, prompt } = sample;
  demand(
    Object.is(version, SAMPLE_SCHEMA_VERSION),
    'schema_version',
    `must be ${SAMPLE_SCHEMA_VERSION}, got ${version}`,
  );
  demand(isIndex(sample.index), 'index', 'must be an integer, 0 or more, or null');
  demand(isIndex(sample.group_index), 'group_index', 'must be an integer, 0 or more, or null');
  demand(prompt === null || Array.isArray(prompt), 'prompt', 'must be a list of messages or null');
  demand(typeof sample.response === 'string', 'response', 'must be a text');
  demand(isObject(sample.reward), 'reward', 'must be {score}');
  demand(Number.isFinite(sample.reward.score), 'reward.score', `must be a finite number, got ${sample.reward.score}`);
  demand(isOneOf(SAMPLE_STATUSES, sample.status), 'status', `must be one of ${SAMPLE_STATUSES.join(', ')}`);
  demand(
    Array.isArray(weights) && weights.every((name) => typeof name === 'string'),
    'weight_versions',
    'must be texts',
  );
  checkTokens(sample);
  checkTeacher(sample);
  checkMetadata(sample.metadata);
  checkSpans(sample);
  return sample;
};
