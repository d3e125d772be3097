import { gpuSecondsOf } from './gpu-seconds';
import { TARGET_UTILISATION, type Gpu, type Load } from './load';
import { SERVICES, STORES, type Measured, type ServiceName, type StoreName } from './measured';

const DAY_SECONDS = 86_400;
const MS = 1000;
const MEGABYTE = 1e6;
const GIGABYTE = 1e9;

/** What one cluster must be able to do, and how many there have to be. */
export const LIMITS = ['stream', 'store'] as const;
export type Limit = (typeof LIMITS)[number];

export interface Installation {
  readonly load: Load;
  readonly gpu: Gpu;
  /** Copies of every stream. */
  readonly copies: number;
  /** Disk of one nats-server for its streams, in GB. */
  readonly serverGb: number;
}

/** What a load needs, at its busiest moment where nothing else is said. */
export interface Demand {
  readonly turnsPerDay: number;
  readonly meanTurnsPerSecond: number;
  readonly turnsPerSecond: number;
  readonly votesPerSecond: number;
  readonly gpus: { readonly policy: number; readonly judge: number; readonly teacher: number };
  readonly replicas: Readonly<Record<ServiceName, number>>;
  readonly natsCores: number;
  readonly connections: number;
  /** Written to each server that keeps a copy, in MB/s. */
  readonly megabytesPerSecond: number;
  /** What is kept on all servers together, and on each that keeps a copy of everything, in GB. */
  readonly storedGb: number;
  readonly serverGb: number;
  /** Clusters that share the users, by what each of them can do, and by what there have to be so many. */
  readonly clusters: number;
  readonly limitedBy: Limit;
  /** Weight updates in a day that all samples would make, and those that one trainer can make. */
  readonly updatesPerDay: number;
  readonly mostUpdatesPerDay: number;
}

/** Days that a stream or bucket keeps a turn. */
export const keptDays = (store: StoreName): number => STORES[store].maxAgeSeconds / DAY_SECONDS;

/** Bytes of a turn that are written, to all streams and buckets together, each once. */
const bytesOf = ({ storedBytes }: Measured): number => sum(Object.values(storedBytes));

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Whole units that do so much work without being fuller than they may; one at least, where there is any. */
const units = (work: number): number => (work === 0 ? 0 : Math.max(1, Math.ceil(work / TARGET_UTILISATION)));

/** The arithmetic of one installation: demand from a load, and from what was measured of one machine. */
export const demandOf = ({ load, gpu, copies, serverGb }: Installation, measured: Measured): Demand => {
  const turnsPerDay = load.users * load.turnsPerUserDay;
  const meanTurnsPerSecond = turnsPerDay / DAY_SECONDS;
  const turnsPerSecond = meanTurnsPerSecond * load.peakFactor;
  const followed = turnsPerSecond * load.followedShare;
  const seconds = gpuSecondsOf(load, gpu);
  const services = SERVICES.filter((name) => name !== 'opd-teacher' || load.asksForHints);
  const cores = (service: ServiceName): number => (turnsPerSecond * measured.services[service].cpuMs) / MS;
  const replicas = Object.fromEntries(
    SERVICES.map((name) => [name, services.includes(name) ? units(cores(name)) : 0]),
  ) as Record<ServiceName, number>;
  const storedGb = sum(
    (Object.keys(STORES) as StoreName[]).map(
      (store) => (turnsPerDay * measured.storedBytes[store] * keptDays(store)) / GIGABYTE,
    ),
  );
  const written = (turnsPerSecond * measured.storedBytes.RL_TURNS) / MEGABYTE;
  const wanted = {
    stream: written / (measured.stream.megabytesPerSecond * TARGET_UTILISATION),
    store: storedGb / (serverGb * TARGET_UTILISATION),
  };
  const limitedBy = wanted.stream >= wanted.store ? 'stream' : 'store';
  return {
    turnsPerDay,
    meanTurnsPerSecond,
    turnsPerSecond,
    votesPerSecond: followed * load.votes * (load.asksForHints ? 2 : 1),
    gpus: {
      policy: units(turnsPerSecond * seconds.policy),
      judge: units(followed * seconds.judge),
      teacher: units(followed * seconds.teacher),
    },
    replicas,
    natsCores: (turnsPerSecond * sum(services.map((name) => measured.services[name].natsCpuMs))) / MS,
    connections: sum(services.map((name) => replicas[name] * measured.services[name].connections)),
    megabytesPerSecond: (turnsPerSecond * bytesOf(measured)) / MEGABYTE,
    storedGb: storedGb * copies,
    serverGb: storedGb,
    clusters: Math.max(1, Math.ceil(wanted[limitedBy])),
    limitedBy,
    updatesPerDay: (turnsPerDay * load.followedShare * load.sampledShare) / load.batch,
    mostUpdatesPerDay: DAY_SECONDS / (load.trainingSeconds + load.closedSeconds),
  };
};
