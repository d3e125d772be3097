import { demandOf, type Demand } from './demand';
import type { Installation } from './load';
import { SERVICES, type Measured } from './measured';

/** Numbers of users that the table has a column for. */
export const TABLE_USERS = [1, 100, 10_000, 1_000_000] as const;

/** With two digits that mean something, or whole from 100 on. */
export const shortNumber = (value: number): string => {
  if (value === 0 || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(2)));
};

type Row = readonly [string, (demand: Demand) => string];

const rowsOf = (): Row[] => [
  ['turns a day', ({ turnsPerDay }) => shortNumber(turnsPerDay)],
  ['turns/s at the busiest moment', ({ turnsPerSecond }) => shortNumber(turnsPerSecond)],
  ['votes/s', ({ votesPerSecond }) => shortNumber(votesPerSecond)],
  ['GPUs of the policy', ({ gpus }) => shortNumber(gpus.policy)],
  ['GPUs of the judge', ({ gpus }) => shortNumber(gpus.judge)],
  ['GPUs of hints and teacher', ({ gpus }) => shortNumber(gpus.teacher)],
  ...SERVICES.map((name): Row => [`replicas of ${name}`, ({ replicas }) => shortNumber(replicas[name])]),
  ['connections to NATS', ({ connections }) => shortNumber(connections)],
  ['cores of nats-server, one copy', ({ natsCores }) => shortNumber(natsCores)],
  ['MB/s to JetStream, each copy', ({ megabytesPerSecond }) => shortNumber(megabytesPerSecond)],
  ['GB kept, each copy', ({ storedGb }) => shortNumber(storedGb)],
  ['`nats.store_gb` of a cluster', ({ storeGbSetting, clusters }) => shortNumber(storeGbSetting / clusters)],
  ['users that a cluster can have by its disks', ({ usersPerCluster }) => shortNumber(usersPerCluster.store)],
  ['the same by its busiest stream', ({ usersPerCluster }) => shortNumber(usersPerCluster.stream)],
  ['clusters', ({ clusters }) => shortNumber(clusters)],
  ["samples a batch with which a cluster's trainer keeps up", ({ batchToKeepUp }) => shortNumber(batchToKeepUp)],
];

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** What so many users need, as a table in Markdown: a column for each number. */
export const demandTable = (users: readonly number[], installation: Installation, measured: Measured): string => {
  const demands = users.map((each) =>
    demandOf({ ...installation, load: { ...installation.load, users: each } }, measured),
  );
  const head = ['users', ...users.map(shortNumber)];
  const rows = rowsOf().map(([name, cell]) => [name, ...demands.map(cell)]);
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
};
