import type { Dispatcher } from 'undici';

/** A whole answer of an engine. */
export interface EngineResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Reads one answer whole, as it comes from the connection: `undici.request` puts a stream, a promise for its end and a
 * controller of its own before every body, which costs as much as the rest of a small call.
 */
export class WholeAnswer implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private left: Error | null = null;
  private status = 0;
  private headers: EngineResponse['headers'] = {};
  private readonly pieces: Buffer[] = [];

  constructor(
    private readonly resolve: (answer: EngineResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  /** Gives the call up, which closes its connection; one that has none yet is given up when it gets one. */
  leave(reason: Error): void {
    this.left = reason;
    this.controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.left !== null) controller.abort(this.left);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: EngineResponse['headers']): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.pieces.push(piece);
  }

  onResponseEnd(): void {
    this.resolve({ status: this.status, headers: this.headers, text: textOf(this.pieces) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}

/** Without the mark that some servers begin a text with, and that no JSON parser takes. */
const textOf = (pieces: readonly Buffer[]): string => {
  const text = Buffer.concat(pieces).toString();
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
};
