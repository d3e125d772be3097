import type { Settings } from '@app/config';
import { EngineError, EngineStatusError, ScoringClient } from '@app/engines';
import type { ModelSeat } from '@app/voting';
import { policyCandidate, teacherCandidates, type TeacherCandidate } from './candidates';
import { checkVocabulary } from './check-vocabulary';
import { CannotScoreError, VocabularyMismatchError } from './errors';

/** An engine that scores. */
export interface TeacherSeat extends ModelSeat {
  readonly client: ScoringClient;
}

/** The model that scores, and the engines of it that could be asked. */
export interface FoundTeacher extends TeacherCandidate {
  readonly seats: readonly [TeacherSeat, ...TeacherSeat[]];
}

const PROBE = 'The teacher scores this.';

const hostOf = (url: string): string => new URL(url).host;

/** Whether an engine is the wrong one, as opposed to one that is not in order. */
export const isUnsuited = (error: unknown): boolean =>
  error instanceof CannotScoreError ||
  error instanceof VocabularyMismatchError ||
  (error instanceof EngineStatusError && !error.retryable);

/**
 * Finds the model that is to be the teacher and proves that it can: it scores, and has the policy's vocabulary. With `auto`
 * the policy's is taken where the judge's is unsuited. Engines of it that are not in order are left out.
 *
 * @throws CannotScoreError, VocabularyMismatchError; EngineError while no engine is in order
 */
export const findTeacher = async (settings: Settings, signal: AbortSignal): Promise<FoundTeacher> => {
  const candidates = teacherCandidates(settings);
  let problem: unknown = new CannotScoreError('nobody is configured, which');
  for (const candidate of candidates) {
    try {
      const seats = await firstOnes(candidate.urls, (url) => prove(candidate, url, { settings, signal }));
      return { ...candidate, seats };
    } catch (error) {
      if (!isUnsuited(error)) throw error;
      problem = error;
    }
  }
  throw problem;
};

/** What `open` makes of the URLs that are in order. @throws EngineError where none is; what else `open` throws */
const firstOnes = async <Opened>(
  urls: readonly string[],
  open: (url: string) => Promise<Opened>,
): Promise<[Opened, ...Opened[]]> => {
  const results = await Promise.allSettled(urls.map(open));
  const failures = results.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const worst = failures.find((error) => !(error instanceof EngineError) || isUnsuited(error));
  const [first, ...others] = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (worst !== undefined || first === undefined) throw worst ?? failures[0];
  return [first, ...others];
};

interface Proving {
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

const prove = async (candidate: TeacherCandidate, url: string, proving: Proving): Promise<TeacherSeat> => {
  const { settings, signal } = proving;
  const timeoutMs = settings.opd.teacherTimeoutS * 1000;
  const client = new ScoringClient({ ...candidate, baseUrl: url, timeoutMs });
  const host = hostOf(url);
  await demandScoring(client, `the teacher at ${host} (${candidate.name})`, signal);
  const ids = await client.tokenizeText(PROBE, signal);
  await client.score({ ids, responseLength: ids.length - 1, topK: settings.opd.distillTopk }, signal);
  const policy = policyCandidate(settings);
  if (policy !== null && !policy.urls.includes(url)) {
    const [other] = await firstOnes(policy.urls, async (baseUrl) => {
      const opened = new ScoringClient({ ...policy, baseUrl, timeoutMs });
      await demandScoring(opened, `the policy at ${hostOf(baseUrl)}`, signal);
      return opened;
    });
    await checkVocabulary({ teacher: client, policy: other, host }, signal);
  }
  return { name: host, url, client, look: (each) => client.look(each) };
};

/** @throws CannotScoreError, EngineError */
const demandScoring = async (client: ScoringClient, what: string, signal: AbortSignal): Promise<void> => {
  if ((await client.detect(signal)) === null) throw new CannotScoreError(what);
};
