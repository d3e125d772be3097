/** An hour at which the day is busiest. */
const BUSIEST_HOUR = 14;
const HOUR = 3600;
const MINUTE = 60;
const INTERVAL_SECONDS = 20 * MINUTE;
/** Batches that may wait, where they are larger than `slime.queue_size`. */
const WAITING_BATCHES = 2;

/** One cluster of the installation: what it needs by arithmetic, and a day with each number of judges, with and without an outage, with the breaker and the queue of the settings. */
export function trialsOf(
  options,
  { measured, settings },
  { demandOf, simulateDay, DEFAULT_INSTALLATION, TARGET_UTILISATION },
) {
  const { users, turns, peak, outage: minutes, hours, seed, shared } = options;
  const load = {
    ...DEFAULT_INSTALLATION.load,
    users,
    turnsPerUserDay: turns,
    peakFactor: peak,
    asksForHints: options.teachers !== 0,
  };
  const { clusters } = demandOf({ ...DEFAULT_INSTALLATION, load }, measured);
  const own = { ...load, users: users / clusters };
  const demand = demandOf({ ...DEFAULT_INSTALLATION, load: own }, measured);
  const batch = options.batch ?? Math.max(own.batch, demand.batchToKeepUp);
  const plan = {
    load: { ...own, batch },
    gpu: DEFAULT_INSTALLATION.gpu,
    teachers: options.teachers ?? demand.gpus.teacher,
    sharesGpus: shared,
    failingShare: options.failing,
    probeSeconds: settings.judge.breakerOpenS,
    queueSize: Math.max(settings.slime.queueSize, WAITING_BATCHES * batch),
    hours,
    intervalSeconds: INTERVAL_SECONDS,
    seed,
  };
  const outage = minutes > 0 ? { fromSeconds: BUSIEST_HOUR * HOUR, seconds: minutes * MINUTE } : null;
  const needed = demand.gpus.judge;
  // Full at the busiest moment, as full as is meant, half as full.
  const numbers = [...new Set([Math.ceil(needed * TARGET_UTILISATION), needed, 2 * needed])];
  const trials = (options.judges === undefined ? numbers : [options.judges]).map((judges) => ({
    judges,
    normal: summaryOf(simulateDay({ ...plan, judges, outage: null })),
    broken: outage === null ? null : summaryOf(simulateDay({ ...plan, judges, outage })),
  }));
  return { clusters, demand, plan, minutes, trials };
}

const stationOf = ({ arrived, done, waits, waiting, busy }) => ({
  arrived,
  done,
  wait: { mean: waits.mean, p95: waits.quantile(0.95), most: waits.most },
  waiting: { mean: waiting.mean, most: waiting.most, byInterval: waiting.intervals.map(({ most }) => most) },
  busy: { mean: busy.mean, byInterval: busy.intervals.map(({ mean }) => mean) },
});

const summaryOf = ({ turns, held, judge, teacher, trainer, recoverySeconds }) => ({
  turns,
  held: stationOf(held),
  judge: stationOf(judge),
  teacher: stationOf(teacher),
  trainer: { updates: trainer.updates, refused: trainer.refused, mostWaiting: trainer.waiting.most },
  recoverySeconds,
});
