import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import type { Now, TurnRow } from '@app/contracts';
import { StatsService } from '../door/stats.service';
import { ConsoleIndex } from './console-index';
import { findProblems } from './problems';

const MINUTE_MS = 60_000;
const MINUTES = 30;
const NEWEST_REWARDS = 64;

/** Votes in each of the last minutes, oldest first. */
export const votesByMinute = (rows: readonly TurnRow[], now: number): number[] => {
  const counts = new Array<number>(MINUTES).fill(0);
  for (const { judgedAt, votes } of rows) {
    if (judgedAt === null) continue;
    const minute = MINUTES - 1 - Math.floor(Math.max(0, now - judgedAt) / MINUTE_MS);
    // A verdict of before votes were told in headers had at least one.
    if (minute >= 0) counts[minute] = (counts[minute] ?? 0) + (votes?.length ?? 1);
  }
  return counts;
};

/** Says how everything stands. */
@Injectable()
export class NowService {
  constructor(
    private readonly settings: Settings,
    private readonly stats: StatsService,
    private readonly index: ConsoleIndex,
  ) {}

  /** @throws BusUnavailableError */
  async read(): Promise<Now> {
    await this.index.ready();
    const { rl, records, slime } = this.settings;
    const stats = await this.stats.read();
    const rows = this.index.rows.list();
    const at = Date.now();
    const bySettling = rows
      .filter(({ settledScore }) => settledScore !== null)
      .sort((a, b) => (a.settledAt ?? 0) - (b.settledAt ?? 0));
    const { waiting, leased } = stats;
    return {
      at,
      policyVersion: stats.policy_version,
      gate: stats.gate,
      method: rl.algorithm,
      recording: records.enabled,
      batch: { waiting, size: stats.batch.size },
      leased,
      trained: stats.done,
      outcomes: { ...stats.outcomes },
      votesByMinute: votesByMinute(rows, at),
      rewards: bySettling.slice(-NEWEST_REWARDS).flatMap(({ settledScore }) => settledScore ?? []),
      problems: findProblems({
        rows,
        now: at,
        waiting,
        leased,
        batchSize: stats.batch.size,
        queueSize: slime.queueSize,
        asksJudge: rl.asksJudge,
        isEvaluation: rl.evalMode,
      }),
    };
  }
}
