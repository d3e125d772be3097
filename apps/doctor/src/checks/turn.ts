import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TurnCompleted, TurnSettled } from '@app/contracts';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import { describeAnswer } from '../network/describe-answer';
import { ask, objectIn } from '../network/http';
import type { Visit } from '../visit';

const LOOK_EVERY_MS = 100;
const SETTLED_WITHIN_MS = 15_000;
const TOKENS = 16;

/** The fate of a turn that nobody answered: in no method does a sample come of it. */
const EXPECTED = 'no_next_state';

/** What became of the doctor's turn. */
export interface Fate {
  /** null: nobody has said so in time. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** As it was stored; null: it was not. */
  readonly stored: {
    readonly route: string;
    readonly exclusion: string | null;
    readonly promptTokens: number;
    readonly responseTokens: number;
  } | null;
}

/** What to do about a turn that would not be trained on, by its reason. */
const remedyFor = (reason: string): string => {
  if (reason === 'no_token_ids') return 'see the line about token ids and route';
  if (reason === 'turn_too_large') return 'see the line about JetStream: longer turns want a larger max_payload';
  return `"When something is wrong" in the README says what is behind ${reason}; try again, if it came but once`;
};

export const judgeFate = ({ reason, detail, stored }: Fate): Finding => {
  if (stored === null) {
    return failed(
      `the chat was answered, and the turn was never stored${reason === null ? '' : `: ${reason}`}`,
      'see the lines about NATS, JetStream and the services',
    );
  }
  if (reason === null) {
    return failed(
      'the turn was stored, and nobody has settled it',
      'the session-tracker does not run, or is far behind: see the line about the services',
    );
  }
  if (stored.exclusion !== null || reason !== EXPECTED) {
    const why = stored.exclusion ?? reason;
    return warning(
      `answered and settled; a turn like it would not be trained on: ${why}${detail === null ? '' : ` (${detail})`}`,
      remedyFor(why),
    );
  }
  return ok(
    `answered, stored (${stored.promptTokens} + ${stored.responseTokens} tokens by ${stored.route}), settled as ${reason}, removed`,
  );
};

const lengthOf = (value: unknown): number =>
  ArrayBuffer.isView(value) && 'length' in value ? (value.length as number) : 0;

/**
 * One turn of the main line through the running stack, in a session of its own that is ended at once and then removed. A side
 * turn would end in the gateway and show nothing of what comes behind it; one of the main line goes all the way to its
 * outcome, and since nobody ever answers it, no vote is asked for and no method makes a sample of it.
 */
class DoctorsTurn {
  private readonly session = `openclaw-rl-doctor-${randomUUID()}`;

  constructor(private readonly visit: Visit) {}

  async run(): Promise<Finding> {
    const { gatewayUrl } = this.visit;
    const answer = await ask(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      key: this.key,
      timeoutMs: this.patienceMs,
      headers: { 'x-session-id': this.session, 'x-turn-type': 'main' },
      body: { messages: [{ role: 'user', content: 'Say yes.' }], max_tokens: TOKENS },
    });
    const turnId = answer.headers.get('x-rl-turn-id');
    if (answer.status === 503 && answer.text.includes('weight_update')) {
      return warning('the gate was closed for all the time that a request waits', 'try again when the update is over');
    }
    if (answer.status !== 200 || !Array.isArray(objectIn(answer.text)?.choices) || turnId === null) {
      return failed(`the chat was not answered: ${describeAnswer(answer)}`, 'see the lines about gateway and policy');
    }
    await this.endSession();
    const fate = await this.fateOf(turnId);
    const isRemoved = await this.remove();
    const finding = judgeFate(fate);
    if (isRemoved || finding.status === 'failed') return finding;
    return failed(
      'the turn was settled, and its session could not be removed',
      'sample-submitter does not answer: see the line about the services',
    );
  }

  private get key(): string | undefined {
    return this.visit.settings.gateway.apiKeys[0];
  }

  /** As long as the gateway itself waits for a gate and for the model. */
  private get patienceMs(): number {
    const { gate, gateway } = this.visit.settings;
    return (gate.holdS + gateway.firstByteTimeoutS) * 1000 + 5000;
  }

  private endSession(): Promise<unknown> {
    return ask(`${this.visit.gatewayUrl}/v1/sessions/${this.session}/end`, { method: 'POST', key: this.key, body: {} });
  }

  private async fateOf(turnId: string): Promise<Fate> {
    const { reader } = await this.visit.bus.session();
    const read = (subject: string, stream: 'RL_TURNS' | 'RL_SAMPLES') => reader.read(stream, { last_by_subj: subject });
    const end = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const settled = await read(TurnSettled.subject(turnId), 'RL_SAMPLES');
      if (settled === null && performance.now() < end) {
        await pause(LOOK_EVERY_MS);
        continue;
      }
      const completed = await read(TurnCompleted.subject(turnId), 'RL_TURNS');
      const info = settled === null ? null : TurnSettled.decodeInfo(settled);
      const stored = completed === null ? null : TurnCompleted.decode(completed);
      return {
        reason: info === null ? null : (info.reason ?? info.kind),
        detail: info?.detail ?? stored?.body.head.detail ?? null,
        stored: stored && {
          route: stored.body.head.route,
          exclusion: stored.info.exclusion ?? null,
          promptTokens: lengthOf(stored.body.arrays.promptIds),
          responseTokens: lengthOf(stored.body.arrays.responseIds),
        },
      };
    }
  }

  private async remove(): Promise<boolean> {
    const url = `${this.visit.gatewayUrl}/v1/sessions/${this.session}`;
    const { status } = await ask(url, { method: 'DELETE', key: this.key, timeoutMs: 60_000 });
    return status === 200;
  }
}

export const turnCheck: Check = {
  id: 'turn',
  title: 'a whole turn',
  needs: ['gateway', 'workers'],
  look: (visit) => new DoctorsTurn(visit).run(),
};
