import type { Session } from '@app/bus';
import { Problem } from './problem';

/** In a cluster a stream has to be placed and led before the answer comes. */
const ANSWER_MS = 30_000;

interface ApiError {
  readonly code: number;
  readonly description?: string;
}

/** An error in one of JetStream's answers; null: it is none. */
export const errorOf = (answer: unknown): string | null => {
  const { error } = answer as { readonly error?: ApiError };
  return error === undefined ? null : (error.description ?? `error ${error.code}`);
};

/** Asks JetStream's API what its client has no call for. @throws Problem with the server's own words */
export const askApi = async <Answer>(session: Session, subject: string, request: unknown): Promise<Answer> => {
  const reply = await session.nc.request(subject, JSON.stringify(request), { timeout: ANSWER_MS });
  const answer = reply.json<Answer>();
  const error = errorOf(answer);
  if (error !== null) throw new Problem(`the server refused ${subject}: ${error}`);
  return answer;
};
