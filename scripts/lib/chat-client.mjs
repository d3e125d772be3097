import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from './problem.mjs';

const AGAIN_MS = 300;
const LONGEST_MS = 90_000;

/** The text that answers a conversation. Options as for `complete`. */
export async function chat(gatewayUrl, messages, options) {
  return (await complete(gatewayUrl, messages, options)).message.content ?? '';
}

/**
 * The choice that answers a conversation, as any client of the public API gets it; asked for again while the stack has none, because
 * something of it was killed. `side`: the turn is no part of a conversation and is never trained on. What else stands in the options is how to sample.
 */
export async function complete(gatewayUrl, messages, { side = false, key, signal, ...sampling }) {
  const body = { model: 'openclaw-rl', messages, ...sampling };
  const headers = {
    'content-type': 'application/json',
    ...(side && { 'x-turn-type': 'side' }),
    ...(key && { authorization: `Bearer ${key}` }),
  };
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    }).catch(() => null);
    if (response?.ok) {
      const answer = await response.json().catch(() => null);
      if (answer !== null) return answer.choices[0];
    }
    signal.throwIfAborted();
    if (response !== null && response.status < 500) {
      throw new Problem(`a chat was answered with status ${response.status}: ${await response.text()}`);
    }
    if (performance.now() > deadline) throw new Problem(`no chat was answered for ${LONGEST_MS / 1000} s`);
    await pause(AGAIN_MS, undefined, { signal });
  }
}

/** Progress at the trainer's door; null while it does not answer. */
export async function doorStats(doorUrl) {
  const response = await fetch(`${doorUrl}/v1/stats`).catch(() => null);
  return response?.ok ? response.json() : null;
}
