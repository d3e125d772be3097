import { STREAMS } from '@app/contracts';
import { gpuSecondsOf } from './gpu-seconds';
import { TARGET_UTILISATION, type Installation } from './load';
import { SERVICES, STORES, type Measured, type ServiceName, type StoreName } from './measured';

const DAY_SECONDS = 86_400;
const MS = 1000;
const MEGABYTE = 1e6;
const GIGABYTE = 1e9;
const GIBIBYTE = 1024 ** 3;

/** What a load needs: at its busiest moment, with nothing fuller than `TARGET_UTILISATION`, where nothing else is said. */
export interface Demand {
  readonly turnsPerDay: number;
  readonly turnsPerSecond: number;
  readonly votesPerSecond: number;
  readonly gpus: { readonly policy: number; readonly judge: number; readonly teacher: number };
  readonly replicas: Readonly<Record<ServiceName, number>>;
  /** Cores that nats-server keeps busy, without what a second and third copy cost. */
  readonly natsCores: number;
  readonly connections: number;
  /** What is written to each server that has a copy of everything, in MB/s. */
  readonly megabytesPerSecond: number;
  /** What each such server keeps, in GB, and the `nats.store_gb` that no stream of it outgrows: JetStream sets that much aside. */
  readonly storedGb: number;
  readonly storeGbSetting: number;
  /** Users that one cluster can have by the bandwidth of its busiest stream, and by the disk of a server; clusters that follow. */
  readonly usersPerCluster: { readonly stream: number; readonly store: number };
  readonly clusters: number;
  /** Samples in a batch with which the trainer of one cluster keeps up, at this length of a training. */
  readonly batchToKeepUp: number;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Whole units for so much work, one in each cluster at least where there is any. */
const units = (work: number, clusters: number): number =>
  work === 0 ? 0 : Math.max(clusters, Math.ceil(work / TARGET_UTILISATION));

/** Whether a service works on every turn, or on those that were followed. */
const seesAll = (service: ServiceName): boolean => service === 'gateway' || service === 'session-tracker';

/** Bytes of a day's turns that each stream or bucket keeps, as long as it does. */
const keptBytes = (turnsPerDay: number, { storedBytes }: Measured): Record<StoreName, number> => {
  const kept = (store: StoreName): number =>
    turnsPerDay * storedBytes[store] * (STORES[store].maxAgeSeconds / DAY_SECONDS);
  return Object.fromEntries((Object.keys(STORES) as StoreName[]).map((store) => [store, kept(store)])) as Record<
    StoreName,
    number
  >;
};

/** The setting gives each stream its share of the store. */
const storeGbFor = (kept: Readonly<Record<StoreName, number>>): number =>
  Math.max(
    ...(['RL_TURNS', 'RL_FOLLOWS', 'RL_VERDICTS', 'RL_SAMPLES'] as const).map(
      (stream) => kept[stream] / STREAMS[stream].shareOfStore / GIBIBYTE,
    ),
  );

/** The arithmetic of one installation, from its load and from what was measured of one machine. */
export const demandOf = ({ load, gpu, copies, serverGb }: Installation, measured: Measured): Demand => {
  const turnsPerDay = load.users * load.turnsPerUserDay;
  const turnsPerSecond = (turnsPerDay / DAY_SECONDS) * load.peakFactor;
  const followed = turnsPerSecond * load.followedShare;
  const samples = followed * load.sampledShare;
  const seconds = gpuSecondsOf(load, gpu);

  const kept = keptBytes(turnsPerDay, measured);
  const storeGbSetting = storeGbFor(kept);
  const { megabytesPerSecond: most } = measured.stream[copies === 1 ? 'one' : 'three'];
  const usersFor = (share: number): number => Math.floor((load.users * TARGET_UTILISATION) / share);
  const usersPerCluster = {
    stream: usersFor((turnsPerSecond * measured.storedBytes.RL_TURNS) / MEGABYTE / most),
    // What is set aside is not full: a share of it is what is kept.
    store: Math.floor((load.users * serverGb * GIGABYTE) / (storeGbSetting * GIBIBYTE)),
  };
  const clusters = Math.max(1, Math.ceil(load.users / Math.min(usersPerCluster.stream, usersPerCluster.store)));

  const busy = SERVICES.filter((name) => name !== 'opd-teacher' || load.asksForHints);
  const turnsOf = (name: ServiceName): number => (seesAll(name) ? turnsPerSecond : followed);
  const replicas = Object.fromEntries(
    SERVICES.map((name) => {
      const cores = (turnsOf(name) * measured.services[name].cpuMs) / MS;
      return [name, busy.includes(name) ? units(cores, clusters) : 0];
    }),
  ) as Record<ServiceName, number>;

  return {
    turnsPerDay,
    turnsPerSecond,
    votesPerSecond: followed * load.votes * (load.asksForHints ? 2 : 1),
    gpus: {
      policy: units(turnsPerSecond * seconds.policy, clusters),
      judge: units(followed * seconds.judge, clusters),
      teacher: units(followed * seconds.teacher, clusters),
    },
    replicas,
    natsCores: sum(busy.map((name) => (turnsOf(name) * measured.services[name].natsCpuMs) / MS)),
    connections: sum(busy.map((name) => replicas[name] * measured.services[name].connections)),
    megabytesPerSecond: (turnsPerSecond * sum(Object.values(measured.storedBytes))) / MEGABYTE,
    storedGb: sum(Object.values(kept)) / GIGABYTE,
    storeGbSetting,
    usersPerCluster,
    clusters,
    batchToKeepUp: Math.ceil((samples * (load.trainingSeconds + load.closedSeconds)) / TARGET_UTILISATION / clusters),
  };
};
