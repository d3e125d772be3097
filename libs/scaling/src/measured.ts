import { BUCKETS, STREAMS } from '@app/contracts';

/** Services that a turn goes through, in this order. */
export const SERVICES = ['gateway', 'session-tracker', 'prm-judge', 'opd-teacher', 'sample-submitter'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Where something of every turn is kept, and for how long. */
export const STORES = {
  RL_TURNS: STREAMS.RL_TURNS,
  RL_FOLLOWS: STREAMS.RL_FOLLOWS,
  RL_VERDICTS: STREAMS.RL_VERDICTS,
  RL_SAMPLES: STREAMS.RL_SAMPLES,
  'rl-sessions': { maxAgeSeconds: BUCKETS.sessions.ttlSeconds },
  'rl-chains': { maxAgeSeconds: BUCKETS.chains.ttlSeconds },
} as const;
export type StoreName = keyof typeof STORES;

/** One replica, alone with its work. */
export interface MeasuredService {
  readonly turnsPerSecond: number;
  /** CPU for a turn in milliseconds: of the service itself, and of nats-server meanwhile. */
  readonly cpuMs: number;
  readonly natsCpuMs: number;
  readonly connections: number;
}

/** What `npm run bench:scale` finds on one machine. */
export interface Measured {
  readonly machine: string;
  readonly seed: number;
  /** Turns whose way through all services was measured. */
  readonly turns: number;
  readonly services: Readonly<Record<ServiceName, MeasuredService>>;
  /** What each stream and bucket keeps of a turn, in bytes on the disk. */
  readonly storedBytes: Readonly<Record<StoreName, number>>;
  /** What one stream takes in, of messages as large as a stored turn, and of small ones. */
  readonly stream: { readonly megabytesPerSecond: number; readonly messagesPerSecond: number };
}
