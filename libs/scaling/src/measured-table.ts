import { SERVICES, STORES, type Measured, type ServiceName, type StoreName } from './measured';
import { shortNumber } from './table';

const MS = 1000;
const MEGABYTE = 1e6;

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/** One replica of each service. How much of a core it used says whether its own thread was the limit. */
export const servicesTable = ({ services }: Measured): string => {
  const row = (name: ServiceName): string[] => {
    const { turnsPerSecond, cpuMs, natsCpuMs, writtenBytes, connections } = services[name];
    const numbers = [
      turnsPerSecond,
      cpuMs,
      (turnsPerSecond * cpuMs) / MS,
      natsCpuMs,
      (turnsPerSecond * writtenBytes) / MEGABYTE,
    ];
    return [name, ...numbers.map(shortNumber), shortNumber(connections)];
  };
  const head = [
    'one replica of',
    'turns/s',
    'CPU ms a turn',
    'of a core',
    'NATS CPU ms a turn',
    'MB/s to JetStream',
    'connections',
  ];
  return table(head, SERVICES.map(row));
};

/** What a turn leaves in each stream and bucket. */
export const storesTable = ({ storedBytes }: Measured): string =>
  table(
    ['stream or bucket', 'bytes a turn', 'kept, days'],
    (Object.keys(STORES) as StoreName[]).map((name) => [
      name,
      shortNumber(storedBytes[name]),
      shortNumber(STORES[name].maxAgeSeconds / 86_400),
    ]),
  );

const STREAMS = [
  ['one stream, one copy', 'one'],
  ['one stream, three copies', 'three'],
  ['three streams, three copies', 'partitioned'],
] as const;

/** What streams take in. */
export const streamTable = ({ stream }: Measured): string =>
  table(
    ['', 'MB/s of stored turns', 'messages/s of 1 KiB'],
    STREAMS.map(([name, key]) => [
      name,
      shortNumber(stream[key].megabytesPerSecond),
      shortNumber(stream[key].messagesPerSecond),
    ]),
  );
