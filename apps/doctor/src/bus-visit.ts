import { Connection } from '@app/bus';
import type { Settings } from '@app/config';

const WAIT_MS = 4000;

type Session = Awaited<ReturnType<Connection['whenUp']>>;

/** Thrown when NATS could not be reached; the message is its client's own. */
export class NatsRefusedError extends Error {
  override readonly name = 'NatsRefusedError';
}

/** The bus as the doctor sees it: a connection that declares nothing, opened when it is asked for. */
export class BusVisit {
  private connection: Connection | null = null;
  private refusal = '';

  constructor(private readonly settings: Settings) {}

  /** @throws NatsRefusedError */
  async session(): Promise<Session> {
    this.connection ??= new Connection({
      url: this.settings.nats.url,
      name: 'doctor',
      onRefused: (reason) => {
        this.refusal = reason;
      },
    });
    try {
      return await this.connection.whenUp(WAIT_MS);
    } catch (cause) {
      throw new NatsRefusedError(this.refusal === '' ? 'NATS does not answer' : this.refusal, { cause });
    }
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }
}
