import { demandOf } from './demand';
import type { Gpu, Installation, Load } from './load';
import type { Measured } from './measured';

/** Round numbers, so that each result can be reckoned by hand. */
const LOAD: Load = {
  users: 8640,
  turnsPerUserDay: 100,
  peakFactor: 2,
  promptTokens: 9000,
  uncachedTokens: 1000,
  answerTokens: 200,
  followedShare: 0.5,
  votes: 3,
  votePromptTokens: 2000,
  voteAnswerTokens: 100,
  asksForHints: true,
  hintedShare: 0.5,
  sampledShare: 0.4,
  batch: 16,
  trainingSeconds: 90,
  closedSeconds: 10,
};
const GPU: Gpu = { prefillTokensPerSecond: 10_000, decodeTokensPerSecond: 1000, turnsAtOnce: 8 };
const service = (cpuMs: number) => ({
  turnsPerSecond: 1000 / cpuMs,
  cpuMs,
  natsCpuMs: 10,
  writtenBytes: 1,
  connections: 2,
});
const MEASURED: Measured = {
  machine: 'a machine',
  seed: 1,
  turns: 1000,
  followedShare: 0.5,
  services: {
    gateway: service(70),
    'session-tracker': service(35),
    'prm-judge': service(70),
    'opd-teacher': service(71),
    'sample-submitter': service(7),
  },
  storedBytes: {
    RL_TURNS: 100_000,
    RL_FOLLOWS: 1000,
    RL_VERDICTS: 5000,
    RL_SAMPLES: 50_000,
    'rl-sessions': 3000,
    'rl-chains': 1000,
  },
  stream: {
    one: { megabytesPerSecond: 20, messagesPerSecond: 1000 },
    three: { megabytesPerSecond: 4, messagesPerSecond: 500 },
    partitioned: { megabytesPerSecond: 5, messagesPerSecond: 500 },
  },
};
const INSTALLATION: Installation = { load: LOAD, gpu: GPU, copies: 1, serverGb: 2000 };

const demand = (extra: Partial<Load> = {}, more: Partial<Installation> = {}) =>
  demandOf({ ...INSTALLATION, ...more, load: { ...LOAD, ...extra } }, MEASURED);

it('reckons turns, votes and GPUs', () => {
  // 864,000 turns a day are 10/s, at the busiest moment 20/s, of which 10/s are followed.
  expect(demand()).toMatchObject({ turnsPerDay: 864_000, turnsPerSecond: 20, votesPerSecond: 60 });
  // policy: 0.1 + 0.2 s x 20/s = 6; judge: 3 x (0.2 + 0.1) s x 10/s = 9; teacher: (0.9 + 0.5 x 0.92) s x 10/s = 13.6; each / 0.7.
  expect(demand().gpus).toEqual({ policy: 9, judge: 13, teacher: 20 });
});

it('has as many replicas of a service as its CPU asks for, of the turns that it sees', () => {
  // 20/s x 70 ms = 1.4 cores / 0.7; 20/s x 35 ms; 10/s x 70 ms = 0.7 cores / 0.7; 0.71 / 0.7; 0.07.
  expect(demand().replicas).toEqual({
    gateway: 2,
    'session-tracker': 1,
    'prm-judge': 1,
    'opd-teacher': 2,
    'sample-submitter': 1,
  });
  expect(demand().connections).toBe(14);
  // 20/s x 2 x 10 ms + 10/s x 3 x 10 ms.
  expect(demand().natsCores).toBeCloseTo(0.7, 9);
});

it('reckons what is written and what is kept, each store for its own time', () => {
  // 160,000 bytes of a turn.
  expect(demand().megabytesPerSecond).toBeCloseTo(3.2, 9);
  // A day's turns: turns, follows and verdicts (106,000) 3 days, samples 7, sessions 2, chains 3.
  const perTurn = 106_000 * 3 + 50_000 * 7 + 3000 * 2 + 1000 * 3;
  expect(demand().storedGb).toBeCloseTo((864_000 * perTurn) / 1e9, 6);
  // Samples have 0.23 of the store, turns 0.4: 350,000 / 0.23 is more than 300,000 / 0.4.
  expect(demand().storeGbSetting).toBeCloseTo((864_000 * 350_000) / 0.23 / 1024 ** 3, 6);
});

it('says where one cluster ends, and how many there have to be', () => {
  // 2 MB/s of turns against 0.7 of 20; 1,314.8 GB set aside against 2,000.
  expect(demand().usersPerCluster).toEqual({ stream: 60_480, store: 13_142 });
  expect(demand().clusters).toBe(1);
  expect(demand({ users: 86_400 }).clusters).toBe(7);
  // Three copies are written by a slower stream: 2 MB/s against 0.7 of 4.
  expect(demand({}, { copies: 3, serverGb: 1e6 }).usersPerCluster.stream).toBe(12_096);
  expect(demand({ users: 86_400 }, { copies: 3, serverGb: 1e6 }).clusters).toBe(8);
});

it('says how large batches have to be for one trainer', () => {
  // 10 followed turns/s, 4 samples/s, 100 s; 0.7 full.
  expect(demand().batchToKeepUp).toBe(572);
});

it('has one of everything in each cluster', () => {
  // Seven clusters: 200/s x 35 ms = 7 cores / 0.7; 100/s x 7 ms would be one; 4,000 samples / 0.7 / 7.
  const { replicas, batchToKeepUp } = demand({ users: 86_400 });
  expect([replicas['session-tracker'], replicas['sample-submitter'], batchToKeepUp]).toEqual([10, 7, 817]);
});

it('needs neither teacher nor half of the votes where no hints are asked for', () => {
  const { gpus, replicas, votesPerSecond } = demand({ asksForHints: false });
  expect([gpus.teacher, replicas['opd-teacher'], votesPerSecond]).toEqual([0, 0, 30]);
});

it('grows with its users', () => {
  const [some, more] = [demand({ users: 1000 }), demand({ users: 10_000 })];
  expect(more.storedGb / some.storedGb).toBeCloseTo(10, 9);
  expect(more.turnsPerSecond / some.turnsPerSecond).toBeCloseTo(10, 9);
  expect(more.usersPerCluster.store).toBeCloseTo(some.usersPerCluster.store, -1);
});
