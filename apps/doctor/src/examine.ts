import type { Check, Result } from './check';
import { failed, type Finding } from './finding';
import type { Visit } from './visit';

/** A failure that no check knows, by its kind and message. */
const unknownFailure = (error: unknown): Finding =>
  failed(
    error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown failure',
    "this is nothing that the doctor knows; the services' own log lines may say more",
  );

const lookOrTell = async (check: Check, visit: Visit): Promise<Finding> => {
  try {
    return await check.look(visit);
  } catch (error) {
    return unknownFailure(error);
  }
};

/**
 * Makes the checks one after the other. One whose needs are not met is not made, and says which of them it was.
 *
 * @param onResult told of each as soon as it is known
 */
export const examine = async (
  checks: readonly Check[],
  visit: Visit,
  onResult: (result: Result) => void = () => undefined,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (const check of checks) {
    const { id, title } = check;
    const missing = results.find((each) => check.needs.includes(each.id) && isInTheWay(each));
    const found = missing === undefined ? await lookOrTell(check, visit) : standingBehind(missing);
    const result = { id, title, ...found };
    results.push(result);
    onResult(result);
  }
  return results;
};

const isInTheWay = ({ status }: Result): boolean => status === 'failed' || status === 'unchecked';

/** What stands in the way of what stands in the way is said once, at its own place. */
const standingBehind = ({ id, status, title, seen, behind }: Result): Omit<Result, 'id' | 'title'> => ({
  status: 'unchecked',
  seen: status === 'failed' ? `not checked: ${title} has failed` : seen,
  behind: behind ?? id,
});
