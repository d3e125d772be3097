import { RequestIdReusedError } from './lease-error';
import type { LeaseAnswer, PolicyState } from './policy-state';

/** Requests of one trainer that are answered again when repeated: the last so many, not counting those to extend. */
export const REMEMBERED_ANSWERS = 16;
/** Requests to extend that are answered again: a trainer sends many, and each is of use until the next. */
export const REMEMBERED_EXTENDS = 4;
/** Trainers whose requests are remembered: those that were answered last. */
export const REMEMBERED_TRAINERS = 64;

/** What makes two requests one: the same id from the same trainer, which must then ask for the same. */
export type AskedFor = Pick<LeaseAnswer, 'requestId' | 'trainer' | 'operation' | 'asked'>;

/** The answer that the same request got before, or null. @throws RequestIdReusedError */
export const answerOf = (state: PolicyState, request: AskedFor): LeaseAnswer | null => {
  const { requestId, trainer, operation, asked } = request;
  const answer = state.answers.find((each) => each.requestId === requestId && each.trainer === trainer);
  if (answer === undefined) return null;
  if (answer.operation !== operation || answer.asked !== asked) {
    throw new RequestIdReusedError(requestId, `${answer.operation} of lease ${answer.leaseId}`);
  }
  return answer;
};

/** The state with one more answer, and without those that this makes too many. */
export const remember = (state: PolicyState, answer: LeaseAnswer): PolicyState => {
  const trainers = new Set<string>();
  const counts = new Map<string, number>();
  const isKept = ({ trainer, operation }: LeaseAnswer): boolean => {
    if (!trainers.has(trainer) && trainers.size >= REMEMBERED_TRAINERS) return false;
    trainers.add(trainer);
    const [kind, most] = operation === 'extend' ? ['extend', REMEMBERED_EXTENDS] : ['other', REMEMBERED_ANSWERS];
    const key = `${kind} ${trainer}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= most;
  };
  const newestFirst = [...state.answers, answer].reverse();
  return { ...state, answers: newestFirst.filter(isKept).reverse() };
};
