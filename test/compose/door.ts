import { until } from '@app/testing';
import { readEnvFile } from '../support/compose-file';

export interface Stats {
  readonly waiting: number;
  readonly leased: number;
  readonly done: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly signals: Readonly<Record<string, number>>;
}

export interface Policy {
  readonly policy_version: number;
  readonly engine_version: string | null;
  readonly weights_path: string | null;
  readonly stale: number;
  readonly engines: readonly { readonly version: string | null }[];
}

/** The trainer's door, as who has its key sees it. */
export class Door {
  /** The key that a fresh clone has. */
  key = readEnvFile('deploy/env/sample-submitter.env').OPENCLAW_RL_DOOR_API_KEYS ?? '';

  constructor(private readonly url: string) {}

  stats(): Promise<Stats> {
    return this.ask('/v1/stats');
  }

  policy(): Promise<Policy> {
    return this.ask('/v1/policy');
  }

  /** Waits until so many turns have become samples, each of which waits, is leased, has been trained on, or was too old for it. */
  whenSamplesAre(count: number): Promise<boolean> {
    return until(
      async () => {
        const now = await this.stats().catch(() => null);
        const policy = await this.policy().catch(() => null);
        if (now === null || policy === null) return false;
        return now.outcomes.sample === count && now.waiting + now.leased + now.done + policy.stale === count;
      },
      { what: `${count} samples`, timeoutMs: 120_000, everyMs: 250 },
    );
  }

  private async ask<Answer>(path: string): Promise<Answer> {
    const response = await fetch(this.url + path, { headers: { authorization: `Bearer ${this.key}` } });
    return (await response.json()) as Answer;
  }
}
