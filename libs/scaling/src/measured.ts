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
  /** CPU for a turn that it works on in milliseconds: of the service itself, and of nats-server meanwhile. */
  readonly cpuMs: number;
  readonly natsCpuMs: number;
  /** Bytes of a turn that it adds to streams and buckets. */
  readonly writtenBytes: number;
  readonly connections: number;
}

/** What `npm run bench:scale` finds on one machine. */
export interface Measured {
  readonly machine: string;
  readonly seed: number;
  /** Turns whose way through all services was measured, and which share of them was followed. */
  readonly turns: number;
  readonly followedShare: number;
  readonly services: Readonly<Record<ServiceName, MeasuredService>>;
  /** What each stream and bucket keeps of a turn that the gateway served, in bytes on the disk. */
  readonly storedBytes: Readonly<Record<StoreName, number>>;
  /** With one copy, with three copies, and three streams with three copies each. */
  readonly stream: Readonly<Record<'one' | 'three' | 'partitioned', MeasuredStream>>;
}

/** What one stream (or several together) takes in: MB/s of messages as large as a stored turn, messages/s of 1 KiB. */
export interface MeasuredStream {
  readonly megabytesPerSecond: number;
  readonly messagesPerSecond: number;
}
