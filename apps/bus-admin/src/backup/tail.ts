import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { StoredMsg } from '@nats-io/jetstream';
import type { Session } from '@app/bus';
import { writeBackupFile } from './backup-file';
import type { BackedUpStream } from './manifest';

/** Messages that are asked for at once. */
const AT_ONCE = 64;

/** A message as it is stored, with its place. */
export interface TailMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** Base64. */
  readonly data: string;
}

/** Writes what a stream has taken since its snapshot up to the sequence `through`, a message a line. */
export const writeTail = async (
  { jsm }: Session,
  { name, state }: Pick<BackedUpStream, 'name' | 'state'>,
  through: number,
  folder: string,
): Promise<NonNullable<BackedUpStream['tail']>> => {
  let messages = 0;
  const file = await writeBackupFile(folder, `${name}.tail`, async (append) => {
    for (let next = state.last_seq + 1; next <= through; next += AT_ONCE) {
      const sequences = Array.from({ length: Math.min(AT_ONCE, through - next + 1) }, (_, i) => next + i);
      const stored = await Promise.all(sequences.map((seq) => jsm.streams.getMessage(name, { seq })));
      for (const message of stored) {
        // Deleted meanwhile.
        if (message === null) continue;
        await append(Buffer.from(`${JSON.stringify(lineOf(message))}\n`));
        messages += 1;
      }
    }
  });
  return { ...file, through, messages };
};

const lineOf = ({ seq, subject, header, data }: StoredMsg): TailMessage => ({
  sequence: seq,
  subject,
  headers: header.keys().map((key) => [key, header.values(key)]),
  data: Buffer.from(data).toString('base64'),
});

/** The messages of a tail, in order. */
export async function* readTail(folder: string, { file }: { readonly file: string }): AsyncGenerator<TailMessage> {
  const lines = createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Infinity });
  for await (const line of lines) yield JSON.parse(line) as TailMessage;
}
