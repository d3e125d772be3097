const HOUR = 3600;

/** A JetStream stream: what it holds and how long. Sizes are shares of the store (`nats.store_gb`). */
export interface StreamDefinition {
  readonly subjects: readonly string[];
  readonly maxAgeSeconds: number;
  readonly shareOfStore: number;
}

/**
 * Every stream: file storage, limits retention, discard old, one message per subject (the message is its own guard).
 * The shares leave a fifth of the store to the buckets.
 */
export const STREAMS = {
  RL_TURNS: {
    subjects: ['rl.turn.arrived.v1.*', 'rl.turn.completed.v1.*', 'rl.session.closed.v1.*'],
    maxAgeSeconds: 72 * HOUR,
    shareOfStore: 0.4,
  },
  RL_FOLLOWS: { subjects: ['rl.turn.followed.v1.*'], maxAgeSeconds: 72 * HOUR, shareOfStore: 0.05 },
  RL_VERDICTS: {
    subjects: ['rl.turn.judged.v1.*', 'rl.turn.hinted.v1.*', 'rl.feedback.given.v1.*.*', 'rl.session.ended.v1.*.*'],
    maxAgeSeconds: 72 * HOUR,
    shareOfStore: 0.1,
  },
  RL_SAMPLES: { subjects: ['rl.turn.settled.v1.*'], maxAgeSeconds: 7 * 24 * HOUR, shareOfStore: 0.23 },
  RL_POLICY: {
    subjects: ['rl.policy.updated.v1.*', 'rl.policy.answered.v1.*'],
    maxAgeSeconds: 30 * 24 * HOUR,
    shareOfStore: 0.01,
  },
  RL_DEAD: { subjects: ['rl.dead.letter.v1.*.*'], maxAgeSeconds: 14 * 24 * HOUR, shareOfStore: 0.01 },
} as const satisfies Record<string, StreamDefinition>;

export type StreamName = keyof typeof STREAMS;

export const STREAM_NAMES = Object.keys(STREAMS) as StreamName[];

/** A durable pull consumer with explicit acks and no delivery limit. */
export interface ConsumerDefinition {
  readonly stream: StreamName;
  readonly durable: string;
  /** Names a version: a newer message waits for somebody who can read it, and is not acknowledged by who cannot. */
  readonly filter: string;
  readonly headersOnly?: true;
  /** Only what is published after the consumer was made, not what the stream holds already. */
  readonly newOnly?: true;
  readonly ackWaitSeconds: number;
  readonly maxAckPending: number;
}

/** Every message of version 1. */
const OF_THIS_VERSION = 'rl.*.*.v1.>';

/** Every durable consumer, named after its app. */
export const CONSUMERS = {
  trackerTurns: {
    stream: 'RL_TURNS',
    durable: 'session-tracker',
    filter: OF_THIS_VERSION,
    headersOnly: true,
    ackWaitSeconds: 10,
    maxAckPending: 64,
  },
  trackerFeedback: {
    stream: 'RL_VERDICTS',
    durable: 'session-tracker',
    filter: 'rl.feedback.given.v1.>',
    headersOnly: true,
    ackWaitSeconds: 10,
    maxAckPending: 64,
  },
  judge: {
    stream: 'RL_FOLLOWS',
    durable: 'prm-judge',
    filter: OF_THIS_VERSION,
    ackWaitSeconds: 30,
    maxAckPending: 1000,
  },
  teacher: {
    stream: 'RL_FOLLOWS',
    durable: 'opd-teacher',
    filter: OF_THIS_VERSION,
    ackWaitSeconds: 30,
    maxAckPending: 1000,
  },
  submitter: {
    stream: 'RL_VERDICTS',
    durable: 'sample-submitter',
    filter: OF_THIS_VERSION,
    ackWaitSeconds: 30,
    maxAckPending: 512,
  },
  /** Switching records on must not write down what was said before. */
  records: {
    stream: 'RL_SAMPLES',
    durable: 'sample-submitter',
    filter: OF_THIS_VERSION,
    newOnly: true,
    ackWaitSeconds: 60,
    maxAckPending: 64,
  },
  feedbackRecords: {
    stream: 'RL_VERDICTS',
    durable: 'sample-submitter-records',
    filter: 'rl.feedback.given.v1.>',
    newOnly: true,
    ackWaitSeconds: 60,
    maxAckPending: 64,
  },
} as const satisfies Record<string, ConsumerDefinition>;

/** A key-value bucket. `ttlSeconds` 0 keeps values for ever. */
export interface BucketDefinition {
  readonly name: string;
  readonly history: number;
  readonly ttlSeconds: number;
}

/** Every bucket. The times to live remove what ended long ago, and the markers that deletions leave. */
export const BUCKETS = {
  sessions: { name: 'rl-sessions', history: 1, ttlSeconds: 48 * HOUR },
  chains: { name: 'rl-chains', history: 1, ttlSeconds: 72 * HOUR },
  policy: { name: 'rl-policy', history: 16, ttlSeconds: 0 },
} as const satisfies Record<string, BucketDefinition>;
