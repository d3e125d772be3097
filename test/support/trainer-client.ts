import { randomUUID } from 'node:crypto';
import { until } from '@app/testing';

/** A sample as the trainer's door hands it out. */
export interface LeasedSample {
  readonly tokens: number[];
  readonly response_length: number;
  readonly loss_mask: number[];
  readonly rollout_log_probs: number[];
  readonly teacher_log_probs: number[] | null;
  readonly advantages: number[];
  readonly reward: { score: number };
  readonly response: string;
  readonly index: number;
  readonly metadata: { turn_id: string; session_key: string; [key: string]: unknown };
}

export interface Stats {
  readonly waiting: number;
  readonly outcomes: Record<string, number>;
  readonly [key: string]: unknown;
}

/** A trainer at the door. */
export class TrainerClient {
  constructor(private readonly door: string) {}

  async post<Answer>(path: string, body: object): Promise<Answer> {
    const response = await fetch(`${this.door}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request_id: randomUUID(), ...body }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  lease(body: object): Promise<{ lease_id: string | null; samples: LeasedSample[] }> {
    return this.post('/v1/samples/lease', body);
  }

  async stats(): Promise<Stats> {
    return (await (await fetch(`${this.door}/v1/stats`)).json()) as Stats;
  }

  /** What serves, by the door's word. */
  async policy(): Promise<{ policy_version: number; weights_path: string | null }> {
    const answer = await fetch(`${this.door}/v1/policy`);
    return (await answer.json()) as { policy_version: number; weights_path: string | null };
  }

  /** Resolves when a turn has had this outcome. */
  async until(outcome: string): Promise<void> {
    await until(async () => (await this.stats()).outcomes[outcome], { what: outcome, timeoutMs: 20_000 });
  }

  /** Leases and acknowledges exactly `count` samples, by turn id. */
  async take(count: number): Promise<Map<string, LeasedSample>> {
    const { lease_id, samples } = await until(
      async () => {
        const lease = await this.lease({ max: count, min: count, wait_ms: 5000 });
        return lease.lease_id === null ? null : lease;
      },
      { what: `${count} samples at the door`, timeoutMs: 20_000 },
    );
    await this.post(`/v1/samples/leases/${lease_id}/ack`, {});
    return new Map(samples.map((sample) => [sample.metadata.turn_id, sample]));
  }
}
