import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 250;
/** Between two conversations. */
const PAUSE_MS = 1000;
const TOOLS = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object', properties: {} } } }];

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** An answer that a person has: its turn, and what it says. */
interface Answer {
  readonly turnId: string;
  readonly message: Message;
}

/** Who talks: to which gateway, in which session, and with which key where keys are asked for. */
interface Person {
  readonly gateway: string;
  readonly session: string;
  readonly key?: string;
}

/** Asks until there is an answer, as a client does whose server is being restarted. */
const ask = async (person: Person, messages: readonly Message[]): Promise<Answer> => {
  const { gateway, session, key } = person;
  for (;;) {
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-session-id': session,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ messages, tools: TOOLS }),
    }).catch(() => null);
    const body =
      response?.ok === true ? ((await response.json().catch(() => null)) as { choices: { message: Message }[] }) : null;
    if (body !== null)
      return { turnId: response?.headers.get('x-rl-turn-id') ?? '', message: body.choices[0]!.message };
    await sleep(RETRY_MS);
  }
};

/** One conversation: a question, and what a person says of its answer. Returns the ids of both turns. */
const converse = async (person: Person, reaction: string): Promise<readonly string[]> => {
  const question: Message = { role: 'user', content: `What is ${person.session}?` };
  const first = await ask(person, [question]);
  const second = await ask(person, [question, first.message, { role: 'user', content: reaction }]);
  return [first.turnId, second.turnId];
};

/** A question, and praise for its answer. */
export const praise = (gateway: string, session: string, key?: string): Promise<readonly string[]> =>
  converse({ gateway, session, ...(key === undefined ? {} : { key }) }, 'Thanks, that works.');

/** A question, and how its answer should have been. */
export const correct = (gateway: string, session: string): Promise<readonly string[]> =>
  converse({ gateway, session }, 'This sounds like an AI. Please write like a student.');

/** Holds conversations one after the other until it is told to stop. Returns the sessions that it held. */
export const keepPraising = async (gateway: string, name: string, stop: AbortSignal): Promise<readonly string[]> => {
  const sessions: string[] = [];
  while (!stop.aborted) {
    const session = `${name}-${sessions.length}`;
    await praise(gateway, session);
    sessions.push(session);
    await sleep(PAUSE_MS);
  }
  return sessions;
};

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A request over TLS with a certificate that nobody has signed; a POST where there is a `body`. */
const overTls = (
  port: number,
  path: string,
  { key, body }: { readonly key: string | null; readonly body?: object },
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        rejectUnauthorized: false,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        },
      },
      (response) => {
        let text = '';
        response.on('data', (data: Buffer) => (text += data.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
      },
    );
    asking.on('error', reject);
    asking.end(body === undefined ? '' : JSON.stringify(body));
  });

/** A chat over TLS. Resolves with its status and, if there is one, its answer. */
export const askOverTls = (port: number, key: string | null): Promise<Answered> => {
  const body = { messages: [{ role: 'user', content: 'Hello' }], stream: true };
  return overTls(port, '/v1/chat/completions', { key, body });
};

/** What is at a path, over TLS. */
export const getOverTls = (port: number, path: string, key: string | null): Promise<Answered> =>
  overTls(port, path, { key });
