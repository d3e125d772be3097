import type { ServerResponse } from 'node:http';

/** The client's side of one chat request: head, pieces, end, and whether it is still there. */
export class ClientConnection {
  private readonly closed: Promise<void>;
  private finished = false;
  private gone = false;
  private hasPieces = false;

  constructor(private readonly response: ServerResponse) {
    response.once('finish', () => {
      this.finished = true;
    });
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        this.gone = !this.finished;
        resolve();
      });
    });
    // A client that resets its connection is gone, which `close` says as well.
    response.on('error', () => undefined);
  }

  get headersSent(): boolean {
    return this.response.headersSent;
  }

  /** Calls back if the client goes away before it has the whole answer. */
  onGone(callback: () => void): void {
    void this.closed.then(() => {
      if (this.gone) callback();
    });
  }

  /** A header of whatever answer this request gets. */
  setHeader(name: string, value: string): void {
    this.response.setHeader(name, value);
  }

  /**
   * A whole answer; true once it is on its way to the client, false if the client went first. In a stream that was begun
   * already it is the last event.
   */
  send(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): Promise<boolean> {
    if (this.headersSent) return this.end(`data: ${body.toString()}\n\n`);
    this.response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    return this.end(body);
  }

  /**
   * Status and headers of a stream; sent before the first piece exists, or with a piece that is there already. One that was begun
   * already goes on.
   */
  beginStream(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.headersSent) return;
    this.response.writeHead(status, headers);
    setImmediate(() => {
      if (!this.hasPieces) this.response.flushHeaders();
    });
  }

  /** Writes a piece; false while the client reads slower than the model writes. */
  write(piece: Buffer | string): boolean {
    this.hasPieces = true;
    return this.gone || this.response.write(piece);
  }

  /** Resolves when the client takes pieces again, or is gone. */
  async drained(): Promise<void> {
    if (this.gone || !this.response.writableNeedDrain) return;
    const drained = new Promise<void>((resolve) => {
      this.response.once('drain', resolve);
    });
    await Promise.race([drained, this.closed]);
  }

  /** Cuts the connection to a client that is waited for no longer. */
  drop(): void {
    this.response.destroy();
  }

  /** Ends the answer; true once everything is on its way to the client, false if the client went first. */
  async end(piece: Buffer | string = ''): Promise<boolean> {
    if (this.gone || this.response.writableEnded) return false;
    this.hasPieces = true;
    const finished = new Promise<void>((resolve) => {
      this.response.end(piece, resolve);
    });
    await Promise.race([finished, this.closed]);
    return this.finished;
  }
}
