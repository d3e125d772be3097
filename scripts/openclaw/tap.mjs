import { createServer, request } from 'node:http';
import { until } from './until.mjs';

/**
 * Stands between the client and the gateway, passes everything on, and notes what each request says of its turn. Ends when
 * `signal` is aborted, and so does whoever waits for a request.
 */
export class Tap {
  /** `{ method, path, session, type, tools, words }` of every request, in order. */
  calls = [];
  signal;
  #server;

  static async start(target, signal) {
    const tap = new Tap();
    tap.signal = signal;
    tap.#server = createServer((incoming, outgoing) => tap.#pass(new URL(target), incoming, outgoing));
    await new Promise((resolve) => tap.#server.listen(0, '127.0.0.1', resolve));
    if (signal.aborted) tap.stop();
    else signal.addEventListener('abort', () => tap.stop(), { once: true });
    return tap;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Resolves with the first request that is like this; those that were seen already count. */
  until(what, isIt) {
    return until(`${what} from OpenClaw`, this.signal, () => this.calls.find(isIt));
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass({ hostname, port }, incoming, outgoing) {
    const { method, url: path, headers } = incoming;
    const chunks = [];
    const upstream = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.once('close', () => upstream.destroy());
    upstream.once('error', () => outgoing.destroy());
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.once('end', () => this.calls.push(noteOf(incoming, Buffer.concat(chunks).toString())));
    incoming.pipe(upstream);
  }
}

function noteOf({ method, url: path, headers }, text) {
  const body = parseOrEmpty(text);
  const words = (body.messages ?? []).map(({ content }) =>
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  return {
    method,
    path,
    session: headers['x-session-id'],
    type: headers['x-turn-type'],
    tools: body.tools?.length ?? 0,
    words: words.join('\n'),
  };
}

function parseOrEmpty(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
