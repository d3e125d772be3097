import type { BackupContents } from './backup/manifest';
import type { Deleted } from './delete/delete-user';

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

/** What became of a user's data. */
export const deletedLines = ({ sessions, messages, records, left, away }: Deleted): string =>
  [
    `${messages} messages and ${records} record lines of ${sessions} sessions are deleted.`,
    left === 0
      ? 'Nothing of them can be read any more. What is in hand now is removed when it comes out.'
      : `${left} messages are there again: the user goes on. Take the key out of the gateway first, then delete again.`,
    ...(away.length === 0
      ? []
      : [`${away.join(', ')} is away: its copies follow when it is back. Delete again then, to see it done.`]),
  ].join('\n');
