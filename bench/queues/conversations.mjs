import { jetstream } from '@nats-io/jetstream';
import { withManager } from '../stack.mjs';

const HEADERS = { 'content-type': 'application/json' };
const AT_ONCE = 32;

async function post(url, session, messages) {
  const headers = { ...HEADERS, 'x-session-id': session };
  const body = JSON.stringify({ model: 'openclaw-rl', messages });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  const answer = await response.json();
  if (!response.ok) throw new Error(`a chat was answered with ${response.status}`);
  return { turnId: response.headers.get('x-rl-turn-id'), message: answer.choices[0].message };
}

/** The results of `work` for each item, some of them at a time. */
export async function inTurn(items, work) {
  const results = new Array(items.length);
  let next = 0;
  const go = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, go));
  return results;
}

/** Conversations of one turn each, with what continues them: that has the first turn judged, in so many milliseconds. */
export const openConversations = (url, names) =>
  inTurn(names, async (name) => {
    const question = { role: 'user', content: `conversation ${name}` };
    const { turnId, message } = await post(url, name, [question]);
    const answer = { role: 'assistant', content: message.content };
    const go = (delayMs) =>
      post(url, name, [question, answer, { role: 'user', content: `go on, judged in ${delayMs} ms` }]);
    return { turnId, go };
  });

/** When each turn's message was stored in a stream, in milliseconds of the server's clock, by turn id. */
export const storedAt = (nats, stream) =>
  withManager(nats, async (jsm, nc) => {
    const { state } = await jsm.streams.info(stream);
    const times = new Map();
    const consumer = await jetstream(nc).consumers.get(stream, { headers_only: true });
    const messages = await consumer.consume();
    for await (const { subject, timestampNanos, seq } of messages) {
      times.set(subject.split('.').at(-1), Number(timestampNanos / 1000n) / 1000);
      if (seq >= state.last_seq) break;
    }
    return times;
  });
