/** What people do, and what they get. Inputs: no measurement of ours says them. */
export interface Load {
  readonly users: number;
  /** Model calls of the conversation itself, by one user in a day. */
  readonly turnsPerUserDay: number;
  /** The busiest moment of a day against its mean. */
  readonly peakFactor: number;
  /** Tokens of a turn's prompt, those that the engine has not in its cache, and those of the answer. */
  readonly promptTokens: number;
  readonly uncachedTokens: number;
  readonly answerTokens: number;
  /** Share of turns that something follows. */
  readonly followedShare: number;
  /** Votes on each followed turn, and what one of them reads and writes. */
  readonly votes: number;
  readonly votePromptTokens: number;
  readonly voteAnswerTokens: number;
  /** Whether hints are voted on as well; the share of followed turns that get one, which the teacher then scores. */
  readonly asksForHints: boolean;
  readonly hintedShare: number;
  /** Share of followed turns that become a sample; samples of a batch; seconds of its training, and of the closed gate. */
  readonly sampledShare: number;
  readonly batch: number;
  readonly trainingSeconds: number;
  readonly closedSeconds: number;
}

/** What one GPU of a pool does. */
export interface Gpu {
  readonly prefillTokensPerSecond: number;
  readonly decodeTokensPerSecond: number;
  /** Turns that it works on at once. */
  readonly turnsAtOnce: number;
}

/** The load, and what it is to be carried by. */
export interface Installation {
  readonly load: Load;
  readonly gpu: Gpu;
  /** Copies of every stream. */
  readonly copies: 1 | 3;
  /** Disk of one nats-server, in GB. */
  readonly serverGb: number;
}

/** How full processes and GPUs may be at the busiest moment. */
export const TARGET_UTILISATION = 0.7;

/** An agent such as OpenClaw, that works for its user some hours a day. docs/scaling.md says where each number comes from. */
export const DEFAULT_LOAD: Load = {
  users: 100,
  turnsPerUserDay: 100,
  peakFactor: 2.5,
  promptTokens: 20_000,
  uncachedTokens: 2000,
  answerTokens: 300,
  followedShare: 0.9,
  votes: 3,
  votePromptTokens: 1500,
  voteAnswerTokens: 300,
  asksForHints: true,
  hintedShare: 0.3,
  sampledShare: 0.6,
  batch: 16,
  trainingSeconds: 60,
  closedSeconds: 10,
};

/** A model of 8 billion parameters on one H100. docs/scaling.md says where each number comes from. */
export const DEFAULT_GPU: Gpu = { prefillTokensPerSecond: 25_000, decodeTokensPerSecond: 8000, turnsAtOnce: 16 };

/** A cluster of three, each server with 2 TB. */
export const DEFAULT_INSTALLATION: Installation = {
  load: DEFAULT_LOAD,
  gpu: DEFAULT_GPU,
  copies: 3,
  serverGb: 2000,
};
