import type { Settings } from '@app/config';
import { EngineStatusError, ScoringClient } from '@app/engines';
import { policyCandidate, teacherCandidates, type TeacherCandidate } from './candidates';
import { checkVocabulary } from './check-vocabulary';
import { CannotScoreError, VocabularyMismatchError } from './errors';

/** The engine that scores. */
export interface FoundTeacher extends TeacherCandidate {
  readonly client: ScoringClient;
}

const PROBE = 'The teacher scores this.';

const hostOf = ({ baseUrl }: TeacherCandidate): string => new URL(baseUrl).host;

/** Whether an engine is the wrong one, as opposed to one that is not in order. */
export const isUnsuited = (error: unknown): boolean =>
  error instanceof CannotScoreError ||
  error instanceof VocabularyMismatchError ||
  (error instanceof EngineStatusError && !error.retryable);

/**
 * Finds the engine that is to be the teacher and proves that it can: it scores, and has the policy's vocabulary. With `auto`
 * the policy's engine is taken where the judge's is unsuited.
 *
 * @throws CannotScoreError, VocabularyMismatchError; EngineError while an engine is not in order
 */
export const findTeacher = async (settings: Settings, signal: AbortSignal): Promise<FoundTeacher> => {
  const candidates = teacherCandidates(settings);
  let problem: unknown = new CannotScoreError('nobody is configured, which');
  for (const candidate of candidates) {
    try {
      return await prove(candidate, settings, signal);
    } catch (error) {
      if (!isUnsuited(error)) throw error;
      problem = error;
    }
  }
  throw problem;
};

const prove = async (candidate: TeacherCandidate, settings: Settings, signal: AbortSignal): Promise<FoundTeacher> => {
  const timeoutMs = settings.opd.teacherTimeoutS * 1000;
  const client = new ScoringClient({ ...candidate, timeoutMs });
  await demandScoring(client, `the teacher at ${hostOf(candidate)} (${candidate.name})`, signal);
  const ids = await client.tokenizeText(PROBE, signal);
  await client.score({ ids, responseLength: ids.length - 1, topK: settings.opd.distillTopk }, signal);
  const policy = policyCandidate(settings);
  if (policy !== null && policy.baseUrl !== candidate.baseUrl) {
    const other = new ScoringClient({ ...policy, timeoutMs });
    await demandScoring(other, `the policy at ${hostOf(policy)}`, signal);
    await checkVocabulary({ teacher: client, policy: other, host: hostOf(candidate) }, signal);
  }
  return { ...candidate, client };
};

/** @throws CannotScoreError, EngineError */
const demandScoring = async (client: ScoringClient, what: string, signal: AbortSignal): Promise<void> => {
  if ((await client.detect(signal)) === null) throw new CannotScoreError(what);
};
