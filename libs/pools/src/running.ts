import { errors } from '@nats-io/transport-node';
import type { Bus } from '@app/bus';
import { CountRunning } from '@app/contracts';

/** How long replicas get to answer, in milliseconds. */
const GATHER_MS = 250;

/** What a replica that calls the policy's engines knows of itself. */
export interface Runner {
  /** Answers that engines are giving by its order. */
  readonly running: number;
  /** Token of the update that it knows to be under way. */
  readonly token: string | undefined;
}

/** Answers, for as long as the bus is open, how many calls of the policy's engines are running here. */
export const answerRunning = async (bus: Bus, runner: Runner): Promise<void> => {
  const { nc } = await bus.connection.whenOpen();
  nc.subscribe(CountRunning.subject, {
    callback: (_error, message) => {
      const { running, token } = runner;
      message.respond(CountRunning.encodeReply({ running, ...(token === undefined ? {} : { token }) }));
    },
  });
};

/**
 * Whether no replica calls the policy's engines any more, all of them knowing of the update. A replica that does not answer is
 * dead, or away from the bus.
 * @throws BusUnavailableError
 */
export const isDrained = async (bus: Bus, token: string): Promise<boolean> => {
  try {
    const question = CountRunning.encodeRequest({});
    const replies = await bus
      .core()
      .requestMany(CountRunning.subject, question, { strategy: 'timer', maxWait: GATHER_MS });
    for await (const message of replies) {
      const reply = CountRunning.decodeReply(message.string());
      if (reply.running > 0 || reply.token !== token) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof errors.NoRespondersError) return true;
    throw error;
  }
};
