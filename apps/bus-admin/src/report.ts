import type { BackupContents } from './backup/manifest';

const MIB = 1024 ** 2;
const NAME_WIDTH = 18;

/** What a backup holds, a line for each stream. */
export const backupLines = ({ streams }: BackupContents): string =>
  streams
    .map(({ name, state, snapshot, tail, consumers }) => {
      const messages = state.messages + (tail?.messages ?? 0);
      const size = ((snapshot.bytes + (tail?.bytes ?? 0)) / MIB).toFixed(1);
      const queues = consumers.length === 0 ? '' : `, queues of ${consumers.join(', ')}`;
      return `${name.padEnd(NAME_WIDTH)}${messages} messages, ${size} MiB${queues}`;
    })
    .join('\n');
