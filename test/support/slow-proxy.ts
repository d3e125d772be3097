import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What a request through the proxy looked like. */
export interface Passed {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

/** A proxy in front of an engine that holds back some calls, those that score by default, counts them, and can swallow them. */
export class SlowProxy {
  readonly passed: Passed[] = [];
  /** Most of these calls that were under way at once. */
  mostAtOnce = 0;
  /** Of these, those that are not to be answered any more. */
  swallow = 0;
  private atOnce = 0;
  private readonly server: Server;

  constructor(
    private readonly target: string,
    public delayMs: number,
    private readonly slowPath = '/generate',
  ) {
    this.server = createServer((incoming, outgoing) => {
      void this.pass(incoming)
        .then((answer) => {
          if (answer === null) return;
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        })
        // The engine has gone meanwhile.
        .catch(() => outgoing.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async pass(incoming: IncomingMessage): Promise<IncomingMessage | null> {
    const path = incoming.url ?? '';
    const body = incoming.method === 'POST' ? ((await json(incoming)) as Record<string, unknown>) : {};
    this.passed.push({ path, authorization: incoming.headers.authorization, body });
    if (path !== this.slowPath) return this.forward(incoming, body);
    if (this.swallow > 0) {
      this.swallow -= 1;
      return null;
    }
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    this.atOnce -= 1;
    return this.forward(incoming, body);
  }

  private forward(incoming: IncomingMessage, body: Record<string, unknown>): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const outgoing = request(`${this.target}${incoming.url}`, { method: incoming.method, headers }, resolve);
      outgoing.on('error', reject);
      outgoing.end(incoming.method === 'POST' ? JSON.stringify(body) : undefined);
    });
  }
}
