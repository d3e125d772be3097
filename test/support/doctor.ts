import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS } from '../../apps/doctor/src/checks';
import type { Result } from '../../apps/doctor/src/check';
import { examine } from '../../apps/doctor/src/examine';
import type { Options } from '../../apps/doctor/src/options';
import { beginVisit, endVisit } from '../../apps/doctor/src/visit';

/** What a doctor sees who is given these variables, this settings file, and nothing of the developer's own machine. */
export interface Sight {
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly options?: Partial<Options>;
  /** @default false, wherever the tests run */
  readonly isContainer?: boolean;
}

const NOBODY = join(tmpdir(), 'nobody-lives-here');

/** Has some of the doctor's checks made, in the doctor's order; those that they need are made first. */
export const consult = async (ids: readonly string[], sight: Sight = {}): Promise<Record<string, Result>> => {
  const { env = {}, file, options = {}, isContainer = false } = sight;
  const wanted = new Set<string>();
  const want = (id: string): void => {
    wanted.add(id);
    for (const need of CHECKS.find((check) => check.id === id)!.needs) want(need);
  };
  for (const id of ids) want(id);
  const all = { json: false, mustRun: false, stateDir: join(NOBODY, 'state'), gateway: null, door: null, ...options };
  const visit = { ...beginVisit(all, { HOME: NOBODY, ...env }, () => file ?? null), isContainer };
  try {
    const results = await examine(
      CHECKS.filter(({ id }) => wanted.has(id)),
      visit,
    );
    return Object.fromEntries(results.map((result) => [result.id, result]));
  } finally {
    await endVisit(visit);
  }
};
