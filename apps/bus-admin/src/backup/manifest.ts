import { createHash } from 'node:crypto';
import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Problem } from '../problem';

export const MANIFEST = 'manifest.json';

/** Raised when a backup of today could not be read by the code of yesterday. */
const FORMAT = 1;

const Count = Type.Integer({ minimum: 0 });

const StoredFile = Type.Object({
  file: Type.String({ pattern: '^[\\w-]+\\.[a-z]+$' }),
  bytes: Count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});

const BackedUpStream = Type.Object({
  name: Type.String(),
  /** The stream's configuration, as the server gave it. */
  config: Type.Record(Type.String(), Type.Unknown()),
  /** How the stream stood in the snapshot, as the server gave it. */
  state: Type.Intersect([
    Type.Object({ messages: Count, bytes: Count, first_seq: Count, last_seq: Count }),
    Type.Record(Type.String(), Type.Unknown()),
  ]),
  /** The server's snapshot of messages and consumers. */
  snapshot: StoredFile,
  /** What was stored after the snapshot, up to the sequence `through`; null for a bucket. */
  tail: Type.Union([Type.Null(), Type.Intersect([StoredFile, Type.Object({ through: Count, messages: Count })])]),
  /** Durable consumers that the snapshot holds. */
  consumers: Type.Array(Type.String()),
});

const Contents = Type.Object({
  format: Type.Literal(FORMAT),
  /** Milliseconds since 1970, this machine's clock: from the beginning to the end. */
  begunAt: Count,
  endedAt: Count,
  /** Version of nats-server. */
  server: Type.String(),
  streams: Type.Array(BackedUpStream),
});

const Manifest = Type.Intersect([Contents, Type.Object({ sha256: Type.String() })]);

/** A file of a backup: its name, and what must be in it. */
export type StoredFile = Static<typeof StoredFile>;
export type BackedUpStream = Static<typeof BackedUpStream>;
export type BackupContents = Static<typeof Contents>;

const hashOf = (contents: object): string => createHash('sha256').update(JSON.stringify(contents)).digest('hex');

export const writeManifest = (contents: Omit<BackupContents, 'format'>): string => {
  const whole = { format: FORMAT, ...contents };
  return JSON.stringify({ ...whole, sha256: hashOf(whole) }, null, 2);
};

/** @throws Problem: damaged, or of a format that this version does not read */
export const readManifest = (text: string): BackupContents => {
  const value = parse(text);
  const { sha256, ...contents } = value;
  if (contents.format !== FORMAT) {
    throw new Problem(`the backup has format ${String(contents.format)}, this version reads format ${FORMAT}`);
  }
  if (sha256 !== hashOf(contents) || !Value.Check(Manifest, value)) {
    throw new Problem(`${MANIFEST} is damaged: it is not as it was written. Use another backup.`);
  }
  return value;
};

const parse = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new Problem(`${MANIFEST} is damaged: it cannot be read. Use another backup.`, { cause });
  }
};
