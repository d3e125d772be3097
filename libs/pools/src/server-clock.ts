/**
 * The server's clock, estimated from writes of our own: the server stamps each with its time. Lease ends are kept in it, so
 * that replicas on machines with different clocks agree.
 */
export class ServerClock {
  private offset = 0;

  constructor(private readonly local: () => number = Date.now) {}

  /** Milliseconds since 1970 by the server's clock. */
  now(): number {
    return Math.round(this.local() + this.offset);
  }

  /** Learns from a write that was sent at `sentAt`, seen back at `seenAt` (local clock) and stamped `stampedAt`. */
  learn(write: { readonly sentAt: number; readonly stampedAt: number; readonly seenAt: number }): void {
    this.offset = write.stampedAt - (write.sentAt + write.seenAt) / 2;
  }
}
