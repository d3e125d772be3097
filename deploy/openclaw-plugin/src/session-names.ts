/** Sessions that are followed at once; the oldest are forgotten. */
const MOST = 1000;

/**
 * What the gateway calls a session. OpenClaw gives a session a new id when it compacts it, and to the gateway it is the same
 * conversation: it keeps its first name.
 */
export class SessionNames {
  private readonly first = new Map<string, string>();

  nameOf(sessionId: string): string {
    return this.first.get(sessionId) ?? sessionId;
  }

  /** The session goes on under another id. */
  goesOnAs(sessionId: string, next: string): void {
    if (next === sessionId) return;
    this.first.set(next, this.nameOf(sessionId));
    const [oldest] = this.first.keys();
    if (this.first.size > MOST && oldest !== undefined) this.first.delete(oldest);
  }
}
