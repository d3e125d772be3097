import { Connection, type Session } from '@app/bus';
import type { Settings } from '@app/config';
import { backUp } from './backup/back-up';
import { deleteUser } from './delete/delete-user';
import { inspect, whatIsUnreadable } from './inspect/inspect';
import type { Command } from './options';
import { Problem } from './problem';
import { backupLines, deletedLines, inspectedLines } from './report';
import { restore } from './restore/restore';

/** Name at NATS: whoever has a user of this name listens in its own inbox. */
const NAME = 'bus-admin';
const WAIT_MS = 10_000;
/** How long a request may take: a cluster places a stream in some seconds; what is only read is asked for again. */
const REQUEST_MS = { inspect: 10_000, backup: 30_000, restore: 30_000, delete: 2000 } as const;

/** What to say of a command that was carried out, and what it found that must not be. */
export interface Outcome {
  readonly text: string;
  readonly problem: string | null;
}

/** Does what was asked for. @throws Problem */
export const run = async (command: Command, settings: Settings): Promise<Outcome> => {
  const { url, storeGb, replicas } = settings.nats;
  let refusal = 'it does not answer';
  const connection = new Connection({
    url,
    name: NAME,
    requestTimeoutMs: REQUEST_MS[command.name],
    onRefused: (reason) => {
      refusal = reason;
    },
  });
  try {
    const session = await connection.whenUp(WAIT_MS).catch((cause: unknown) => {
      throw new Problem(`NATS could not be reached: ${refusal} (nats.url)`, { cause });
    });
    return await carryOut(command, session, { inboxPrefix: connection.inboxPrefix, storeGb, replicas });
  } finally {
    await connection.close();
  }
};

const done = (text: string): Outcome => ({ text, problem: null });

interface Surroundings {
  readonly inboxPrefix: string;
  readonly storeGb: number;
  readonly replicas: number;
}

const carryOut = async (command: Command, session: Session, surroundings: Surroundings): Promise<Outcome> => {
  const { inboxPrefix, storeGb, replicas } = surroundings;
  switch (command.name) {
    case 'inspect': {
      const streams = await inspect(session);
      const text = command.asJson ? JSON.stringify(streams, null, 2) : inspectedLines(streams, Date.now());
      return { text, problem: whatIsUnreadable(streams) };
    }
    case 'backup': {
      const contents = await backUp(session, { folder: command.folder, inboxPrefix });
      return done(
        `${backupLines(contents)}\n\n${command.folder} is whole. It holds conversations: keep it as you keep them.`,
      );
    }
    case 'restore': {
      const contents = await restore(session, { ...command, storeGb, replicas });
      return done(
        `${backupLines(contents)}\n\nThe backup of ${new Date(contents.begunAt).toISOString()} is in place. Start the services.`,
      );
    }
    case 'delete':
      return done(deletedLines(await deleteUser(session, command.user), command));
  }
};
