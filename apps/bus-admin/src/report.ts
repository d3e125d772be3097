import type { BackupContents } from './backup/manifest';
import type { Deleted } from './delete/delete-user';
import type { Forgotten } from './delete/user-sessions';
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
    .flatMap(({ name, messages, markers, bytes, copies, oldestAt, kinds, queues }) => [
      [
        `${name.padEnd(NAME_WIDTH)}${messages} messages`,
        `${(bytes / MIB).toFixed(1)} MiB`,
        `${copies} ${copies === 1 ? 'copy' : 'copies'}`,
        ...(oldestAt === null ? [] : [agoOf(oldestAt, now)]),
      ].join(', '),
      ...(markers === 0 ? [] : [`  ${markers} of them only mark that a document was deleted`]),
      ...kinds.map(
        (kind) => `  ${kind.messages} of ${kind.name}${kind.isKnown ? '' : ', which this version does not read'}`,
      ),
      ...queues.map(
        ({ consumer, waiting, inHand, again }) =>
          `  ${consumer}: ${waiting} wait, ${inHand} in hand, ${again} given out again`,
      ),
    ])
    .join('\n');

/** Whose data a deletion was asked for. */
interface Asked {
  readonly user: Forgotten;
  /** In words, without a key. */
  readonly whose: string;
}

/** What became of a user's data. */
export const deletedLines = (deleted: Deleted, asked: Asked): string => {
  const { messages, records, left, away } = deleted;
  return [
    ...(messages === 0 && records === 0 && left === 0 ? nothingKept(asked) : removed(deleted)),
    ...(away.length === 0
      ? []
      : [`${away.join(', ')} is away: its copies follow when it is back. Delete again then, to see it done.`]),
  ].join('\n');
};

const removed = ({ sessions, messages, records, left }: Deleted): readonly string[] => [
  `${messages} messages and ${records} record lines of ${sessions} sessions are deleted.`,
  left === 0
    ? 'Nothing of them can be read any more. What is in hand now is removed when it comes out.'
    : `${left} messages are there again: the user goes on. Take the key out of the gateway first, then delete again.`,
];

/** A user's sessions are known by their messages; the records of one that is named are found without any. */
const nothingKept = ({ user, whose }: Asked): readonly string[] =>
  user.session === null
    ? [
        `No message of ${whose} is stored: nothing was deleted. Unless this was deleted before: is it the right one?`,
        "Records of sessions whose messages are too old to be stored are deleted by the session's name: --session NAME.",
      ]
    : [
        `No message and no record of ${whose} is kept: nothing was deleted.`,
        'Unless this was deleted before: are both the right ones? A session is called as its client called it.',
      ];
