import { randomUUID } from 'node:crypto';
import type { LeasedSample } from '../support/trainer-client';
import type { Random } from './random';
import { pause, type Stop } from './waiting';

interface Lease {
  readonly lease_id: string | null;
  readonly samples: readonly LeasedSample[];
}

interface Reply {
  readonly status: number;
  readonly code: string;
  readonly body: unknown;
}

const LEASE_MS = 4000;

/** Everything that trainers took away, as they remember it. */
export class TrainingLog {
  readonly trained = new Map<string, LeasedSample>();
  readonly twice: string[] = [];
  deaths = 0;
  handedOut = 0;

  add(samples: readonly LeasedSample[]): void {
    for (const sample of samples) {
      const id = sample.metadata.turn_id;
      if (this.trained.has(id)) this.twice.push(id);
      this.trained.set(id, sample);
    }
  }
}

/** A trainer that takes batches, sometimes dies with one, and asks at another door where one does not answer. */
export class CrashTrainer {
  private door = 0;
  private life = 0;

  constructor(
    private readonly doors: () => readonly string[],
    private readonly log: TrainingLog,
    private readonly use: {
      readonly name: string;
      readonly random: Random;
      readonly stop: Stop;
      readonly deathRate: number;
    },
  ) {}

  async run(): Promise<void> {
    while (!this.use.stop.isSet) await this.train();
  }

  private async train(): Promise<void> {
    const { random, stop, name } = this.use;
    const wanted = {
      max: random.whole(1, 6),
      min: 1,
      wait_ms: 500,
      lease_ms: LEASE_MS,
      trainer: `${name}-${this.life}`,
    };
    const lease = await this.send('/v1/samples/lease', wanted);
    const { lease_id: leaseId, samples } = (lease?.body ?? { lease_id: null, samples: [] }) as Lease;
    if (lease?.status !== 200 || leaseId === null) {
      await pause(200, stop);
      return;
    }
    this.log.handedOut += samples.length;
    if (random.chance(this.use.deathRate)) {
      // Dead: the next life knows nothing of the lease.
      this.log.deaths += 1;
      this.life += 1;
      return;
    }
    const ack = await this.send(`/v1/samples/leases/${leaseId}/ack`, {});
    // Nobody else knows the lease: if it is finished, an earlier try of this request has done it.
    if (ack?.status === 200 || ack?.code === 'lease_finished') this.log.add(samples);
  }

  /** Sends a request until there is an answer; null if the run ends first. */
  private async send(path: string, body: object): Promise<Reply | null> {
    const text = JSON.stringify({ request_id: randomUUID(), ...body });
    for (;;) {
      const doors = this.doors();
      const reply = await post(`${doors[this.door % doors.length] ?? ''}${path}`, text).catch(() => null);
      if (reply !== null && reply.status < 500) return reply;
      this.door += 1;
      if (this.use.stop.isSet) return null;
      await pause(150, this.use.stop);
    }
  }
}

const post = async (url: string, body: string): Promise<Reply> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) });
  const parsed = (await response.json()) as { error?: { code?: string } };
  return { status: response.status, code: parsed.error?.code ?? '', body: parsed };
};
