import { createServer } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/**
 * An HTTP server in front of another one, for requests and answers that are JSON. `answer` may answer a request in its place:
 * it is given `{ path, body, pass }`, `pass` asks the other server, with another body if one is named, and returns
 * `{ status, json }`. What `answer` returns no answer to is passed on.
 */
export async function startProxy(target, answer) {
  const server = createServer((request, response) => {
    handle(target, answer, request)
      .catch((error) => ({ status: 502, json: { error: { message: `the proxy failed: ${error.message}` } } }))
      .then(({ status, json }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      });
  });
  // A run that fails while its stack is being started closes nothing, and must end all the same.
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function handle(target, answer, request) {
  const { method, url: path } = request;
  const sent = await text(request);
  const body = sent === '' ? null : JSON.parse(sent);
  const pass = async (changed = body) => {
    const response = await fetch(target + path, {
      method,
      ...(changed !== null && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(changed),
      }),
    });
    const received = await response.text();
    return { status: response.status, json: received === '' ? null : parseOrText(received) };
  };
  return (await answer({ path, body, pass })) ?? pass();
}

function parseOrText(received) {
  try {
    return JSON.parse(received);
  } catch {
    return received;
  }
}
