import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../lib/problem.mjs';

const LOOK_EVERY_MS = 50;
const WAITS_WITHIN_MS = 60_000;

/** Changes the policy's weights while a client waits for its reply, as a trainer does at the door. */
export class WeightUpdates {
  #stack;
  #done = 0;

  constructor(stack) {
    this.#stack = stack;
  }

  get done() {
    return this.#done;
  }

  /** Closes the gate, lets `say` run into it, puts new weights in, and resolves when the reply has arrived. */
  async around(say) {
    const body = { request_id: randomUUID(), trainer: 'try-openclaw', lease_ms: 120_000 };
    const { token } = await this.#post('/v1/policy/updates', body);
    const said = say();
    // Its failure is told where it is waited for.
    said.catch(() => undefined);
    await this.#whenRequestWaits();
    await this.#post(`/v1/policy/updates/${token}/commit`, { weights_path: `/weights/${this.#done + 1}` });
    await said;
    this.#done += 1;
  }

  /** Policy version by the door's word. */
  async version() {
    return (await (await fetch(`${this.#stack.doorUrl}/v1/policy`)).json()).policy_version;
  }

  async #whenRequestWaits() {
    const end = performance.now() + WAITS_WITHIN_MS;
    while (performance.now() < end) {
      const metrics = await (await fetch(`${this.#stack.gatewayUrl}/metrics`)).text();
      if (/^openclaw_rl_chat_in_flight [1-9]/m.test(metrics)) return;
      await pause(LOOK_EVERY_MS);
    }
    throw new Problem('OpenClaw sent no request while the weights were being updated.');
  }

  async #post(path, body) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.#stack.doorUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Problem(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}
