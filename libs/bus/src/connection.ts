import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readAddress, type Address } from './address';
import { BusUnavailableError } from './errors';
import { Publisher } from './publisher';
import { Reader } from './reader';
import { Requests } from './requests';

/** How long one request to the bus may take, in milliseconds. */
const REQUEST_TIMEOUT_MS = 2000;
/** A server that is cut off says nothing: after two pings without an answer another one is looked for. In milliseconds. */
const PING_EVERY_MS = 5000;
const MOST_PINGS_OUT = 2;
/** Pause between two tries to connect, in milliseconds, and as much again at random. */
const RECONNECT_PAUSE_MS = 100;

export interface ConnectionOptions {
  /** One URL or several, separated by commas; user and password, if any, in the first. */
  readonly url: string;
  /** Client name that the server's monitoring shows. */
  readonly name: string;
  /** How long one request may take, in milliseconds. @default 2000, since those who serve cannot wait for longer */
  readonly requestTimeoutMs?: number;
  readonly onStatus?: (connected: boolean) => void;
  /** Told once why the server could not be reached at first, without any password. */
  readonly onRefused?: (reason: string) => void;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

/** What a live connection offers. */
export interface Session {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly kvm: Kvm;
  readonly requests: Requests;
  readonly publisher: Publisher;
  readonly reader: Reader;
}

/**
 * One connection to NATS that is opened in the background and repairs itself for ever.
 * Publishes made while it is down would be dropped by the client at reconnect, so callers look at `isUp` first.
 */
export class Connection {
  private session: Session | null = null;
  private up = false;
  private upAt = 0;
  private closed = false;
  private readonly opening: Promise<Session>;
  private readonly waiters = new Set<() => void>();
  private readonly lossListeners = new Set<() => void>();
  private readonly address: Address;

  constructor(private readonly options: ConnectionOptions) {
    this.address = readAddress(options.url);
    this.opening = this.open();
    this.opening.catch(() => undefined);
  }

  /** An inbox for each app, so that a server can keep replies from everybody but who asked. */
  get inboxPrefix(): string {
    return `_INBOX.${this.options.name}`;
  }

  get isUp(): boolean {
    return this.up;
  }

  /** For how many milliseconds the server has been reachable without a break; 0 while it is not. */
  get upForMs(): number {
    return this.up ? performance.now() - this.upAt : 0;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Resolves once the server has been reached for the first time. */
  whenOpen(): Promise<Session> {
    return this.opening;
  }

  /** The session if the server is reachable now. @throws BusUnavailableError otherwise. */
  current(): Session {
    if (this.session === null || !this.up)
      throw new BusUnavailableError(`NATS at ${this.address.shown} is not reachable`);
    return this.session;
  }

  /** Resolves when the server is reachable; rejects with BusUnavailableError after `timeoutMs`, or once the connection is closed. */
  async whenUp(timeoutMs: number): Promise<Session> {
    if (this.up && this.session !== null) return this.session;
    if (this.closed) throw this.closedError();
    await new Promise<void>((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiters.delete(done);
        reject(new BusUnavailableError(`NATS at ${this.address.shown} was not reachable for ${timeoutMs} ms`));
      }, timeoutMs);
      this.waiters.add(done);
    });
    if (this.isClosed) throw this.closedError();
    return this.current();
  }

  /** Resolves when the server is lost, or the connection closed; at once while it is away. */
  async whenLost(): Promise<void> {
    if (!this.up) return;
    await new Promise<void>((resolve) => {
      const forget = this.onLost(() => {
        forget();
        resolve();
      });
    });
  }

  /** Calls `listener` whenever the server is lost, or the connection closed. Returns what ends that. */
  onLost(listener: () => void): () => void {
    this.lossListeners.add(listener);
    return () => this.lossListeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    for (const waiter of [...this.waiters]) waiter();
    await this.opening.catch(() => undefined);
    if (this.session === null) return;
    const { nc } = this.session;
    // A drain whose server goes away meanwhile does not end.
    if (this.up) await Promise.race([nc.drain(), this.whenLost()]);
    await nc.close();
    this.setUp(false);
  }

  private async open(): Promise<Session> {
    const nc = await this.reach();
    const api = { timeout: this.options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS };
    const js = jetstream(nc, api);
    const jsm = await jetstreamManager(nc, { ...api, checkAPI: false });
    const requests = new Requests(nc, this.inboxPrefix);
    const publisher = new Publisher(requests);
    const reader = new Reader(requests, async (stream, query) =>
      // A server that stands alone leads all its streams.
      nc.info?.cluster === undefined ? null : jsm.streams.getMessage(stream, query),
    );
    this.session = { nc, js, jsm, kvm: new Kvm(js), requests, publisher, reader };
    void this.follow(nc);
    this.setUp(true);
    return this.session;
  }

  /** Tries until the server answers. The client's own way of doing so cannot be stopped. */
  private async reach(): Promise<NatsConnection> {
    for (let isFirst = true; !this.closed; isFirst = false) {
      try {
        return await connect({
          ...this.address.options,
          name: this.options.name,
          inboxPrefix: this.inboxPrefix,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RECONNECT_PAUSE_MS,
          reconnectJitter: RECONNECT_PAUSE_MS,
          timeout: REQUEST_TIMEOUT_MS,
          pingInterval: PING_EVERY_MS,
          maxPingOut: MOST_PINGS_OUT,
          // A stack trace per publish costs as much as the publish.
          noAsyncTraces: true,
        });
      } catch (error) {
        if (isFirst) this.options.onRefused?.(`NATS at ${this.address.shown}: ${reasonOf(error)}`);
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_PAUSE_MS));
      }
    }
    throw this.closedError();
  }

  private closedError(): BusUnavailableError {
    return new BusUnavailableError(`the connection to NATS at ${this.address.shown} has been closed`);
  }

  private async follow(nc: NatsConnection): Promise<void> {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') this.setUp(false);
      if (status.type === 'reconnect') this.setUp(true);
    }
    this.setUp(false);
  }

  private setUp(up: boolean): void {
    if (this.up === up) return;
    this.up = up;
    this.upAt = performance.now();
    if (!up) this.session?.requests.fail();
    // A connection that is closed on purpose is no news.
    if (!this.closed) this.options.onStatus?.(up);
    const told = up ? [...this.waiters] : [...this.lossListeners];
    for (const tell of told) tell();
  }
}
