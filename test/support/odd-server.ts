import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an odd server answers to a request. */
export interface OddAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, an object as JSON. */
  readonly body?: unknown;
}

/** An HTTP server that answers as no server should: something to point a setting to. */
export class OddServer {
  private readonly server: Server;

  /** @param answer null: none, for ever */
  constructor(answer: (path: string, request: IncomingMessage) => OddAnswer | null) {
    this.server = createServer((request, response) => {
      request.resume();
      const given = answer(request.url ?? '', request);
      if (given === null) return;
      const { status = 200, headers = {}, body = '' } = given;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, headers);
      response.end(text);
    });
  }

  async start(host = '127.0.0.1'): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, host, resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
