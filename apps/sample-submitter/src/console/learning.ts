import type { TurnRow, UpdateRow, VersionRow } from '@app/contracts';

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

const known = <Value>(values: readonly (Value | null)[]): Value[] => values.flatMap((value) => value ?? []);

/** Versions that were out at a time, given the updates. */
const versionAt = (updates: readonly UpdateRow[], at: number): number =>
  updates.reduce((version, update) => (update.endedAt <= at ? Math.max(version, update.version) : version), 0);

/** What turns came to, by the policy version that began their answers, oldest version first. Side turns are left out. */
export const byVersion = (rows: readonly TurnRow[], updates: readonly UpdateRow[]): VersionRow[] => {
  const versions = new Map<number, TurnRow[]>();
  for (const row of rows) {
    if (row.kind === 'side') continue;
    const turns = versions.get(row.policyVersion);
    if (turns === undefined) versions.set(row.policyVersion, [row]);
    else turns.push(row);
  }
  return [...versions]
    .sort(([a], [b]) => a - b)
    .map(([version, turns]) => {
      const samples = turns.filter(({ fate }) => fate === 'sample');
      const judged = known(turns.map(({ score }) => score));
      const behind = known(samples.map(({ settledAt }) => settledAt)).map((at) =>
        Math.max(0, versionAt(updates, at) - version),
      );
      return {
        version,
        turns: turns.length,
        judged: judged.length,
        meanScore: mean(judged),
        samples: samples.length,
        meanReward: mean(known(samples.map(({ settledScore }) => settledScore))),
        staleness: mean(behind),
      };
    });
};
