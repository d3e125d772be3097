import { createServer, type AddressInfo, type Socket } from 'node:net';

/** One request as it came over the socket. */
export interface UpstreamCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Writes whatever it likes in answer to a request, or nothing at all. */
export type Reply = (socket: Socket, call: UpstreamCall) => void;

/** A model's server that can answer anything, since it writes to the socket itself. */
export interface StubUpstream {
  readonly url: string;
  /** The last chat request that came with this `x-request-id`. */
  callOf(requestId: string): UpstreamCall | undefined;
  /** Chat requests so far. */
  readonly calls: number;
  /** How the chat request with this `x-request-id` is answered; others get `WHOLE_ANSWER`. */
  script(requestId: string, reply: Reply): void;
  /** Forgets replies and calls. */
  forget(): void;
  close(): Promise<void>;
}

const crlf = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

/** A whole HTTP answer, with the length that is true unless a header says otherwise. */
export const answerWith =
  (body: Buffer | string, headers: Readonly<Record<string, string>> = {}, status = '200 OK'): Reply =>
  (socket) => {
    const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write(Buffer.concat([Buffer.from(crlf([`HTTP/1.1 ${status}`, ...lines]), 'latin1'), Buffer.from(body)]));
  };

/** A chunked stream of the pieces; it ends well unless `end` says how else. */
export const streamOf =
  (
    pieces: readonly (Buffer | string)[],
    options: { contentType?: string; headers?: Record<string, string>; end?: 'well' | 'cut' | 'never' } = {},
  ): Reply =>
  (socket) => {
    const { contentType = 'text/event-stream', headers = {}, end = 'well' } = options;
    const all = { 'content-type': contentType, 'transfer-encoding': 'chunked', ...headers };
    socket.write(crlf(['HTTP/1.1 200 OK', ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)]));
    for (const piece of pieces) {
      const bytes = Buffer.from(piece);
      if (bytes.length === 0) continue;
      socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
    }
    if (end === 'well') socket.write('0\r\n\r\n');
    if (end === 'cut') socket.end();
  };

/** What the stub answers where a test says nothing else. */
export const WHOLE_ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'openclaw-rl',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
};

const HEAD_END = Buffer.from('\r\n\r\n');

/** Cuts whole requests off the front of what a socket has brought. The client under test always sends lengths. */
const takeRequest = (bytes: Buffer): { call: UpstreamCall; rest: Buffer } | null => {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const start = headEnd + HEAD_END.length;
  const end = start + Number(headers['content-length'] ?? 0);
  if (bytes.length < end) return null;
  const [method = '', path = ''] = requestLine.split(' ');
  return { call: { method, path, headers, body: bytes.subarray(start, end) }, rest: bytes.subarray(end) };
};

/** Starts it on a port of its own. */
export const startStubUpstream = async (): Promise<StubUpstream> => {
  const replies = new Map<string, Reply>();
  const calls = new Map<string, UpstreamCall>();
  const sockets = new Set<Socket>();
  let count = 0;
  const serve = (socket: Socket, call: UpstreamCall): void => {
    if (!call.path.endsWith('/chat/completions') || call.headers['x-request-id'] === undefined) {
      answerWith('{}', {}, '404 Not Found')(socket, call);
      return;
    }
    const id = call.headers['x-request-id'];
    count += 1;
    calls.set(id, call);
    (replies.get(id) ?? answerWith(JSON.stringify(WHOLE_ANSWER)))(socket, call);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let pieces: Uint8Array[] = [];
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      pieces.push(data);
      // A large body is put together once, not once a piece.
      const length = Number(
        /content-length: (\d+)/i.exec(Buffer.from(pieces[0] ?? []).toString('latin1', 0, 2048))?.[1] ?? 0,
      );
      if (pieces.reduce((sum, piece) => sum + piece.length, 0) < length) return;
      let bytes: Buffer = Buffer.concat(pieces);
      for (let taken = takeRequest(bytes); taken !== null; taken = takeRequest(bytes)) {
        bytes = taken.rest;
        serve(socket, taken.call);
      }
      pieces = bytes.length === 0 ? [] : [bytes];
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callOf: (id) => calls.get(id),
    get calls() {
      return count;
    },
    script: (id, reply) => void replies.set(id, reply),
    forget: () => {
      replies.clear();
      calls.clear();
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
};
