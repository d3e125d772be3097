import type { BackupContents } from './backup/manifest';
import type { Deleted } from './delete/delete-user';
import type { InspectedStream } from './inspect/inspect';

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

const MS_PER_HOUR = 3_600_000;

const agoOf = (at: number, now: number): string => `the oldest ${((now - at) / MS_PER_HOUR).toFixed(1)} h old`;

/** What every stream and bucket holds, with its kinds of messages and its queues. `now`: milliseconds since 1970. */
export const inspectedLines = (streams: readonly InspectedStream[], now: number): string =>
  streams
    .flatMap(({ name, messages, bytes, copies, oldestAt, kinds, queues }) => [
      [
        `${name.padEnd(NAME_WIDTH)}${messages} messages`,
        `${(bytes / MIB).toFixed(1)} MiB`,
        `${copies} ${copies === 1 ? 'copy' : 'copies'}`,
        ...(oldestAt === null ? [] : [agoOf(oldestAt, now)]),
      ].join(', '),
      ...kinds.map(
        (kind) => `  ${kind.messages} of ${kind.name}${kind.isKnown ? '' : ', which this version does not read'}`,
      ),
      ...queues.map(
        ({ consumer, waiting, inHand, again }) =>
          `  ${consumer}: ${waiting} wait, ${inHand} in hand, ${again} given out again`,
      ),
    ])
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
