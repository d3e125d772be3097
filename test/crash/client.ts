import type { Answer, Attempt, Ledger, Life } from './ledger';
import { BrokenAnswerError, readStream, readWhole } from './chat-stream';
import type { SessionPlan, Step, Style } from './plan';
import { pause, type Stop } from './waiting';

type Message = Record<string, unknown>;

const CARRIER =
  '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nActive exec sessions:\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';
const TOOLS = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object', properties: {} } } }];
const SYSTEM = { role: 'system', content: 'You are a personal assistant running inside OpenClaw.' };
const HEARTBEAT = 'Follow the heartbeat monitor scratch context when provided.';
const STAMP = '[Mon 2026-11-30 06:31 UTC] ';
const RETRY_MS = 150;
/** Longer than any answer takes, also one that waits for nothing but a busy machine. */
const ANSWER_MS = 60_000;

const withoutMarks = (id: string): string => id.replace(/[^A-Za-z0-9]/g, '');

/** A gateway that can be talked to, and the life it is in. */
export interface Door {
  readonly url: string;
  readonly life: () => Life;
}

export interface ClientOptions {
  readonly client: number;
  readonly doors: readonly Door[];
  readonly ledger: Ledger;
  readonly stop: Stop;
  /** Each request goes to the next gateway, as behind a round-robin. @default false */
  readonly isBalanced?: boolean;
  /** Bytes are read so slowly that the gateway has to wait. @default false */
  readonly isSlow?: boolean;
}

/**
 * Talks as a stock OpenClaw does, or with headers, or as a plain chat program, and asks again with the same messages where
 * an answer does not come whole. Everything that happens to it goes into the ledger.
 */
export class CrashClient {
  private history: Message[] = [];
  private door = 0;

  constructor(private readonly options: ClientOptions) {
    this.door = options.client;
  }

  async run(sessions: readonly SessionPlan[]): Promise<void> {
    for (const session of sessions) await this.converse(session);
  }

  async converse(session: SessionPlan): Promise<void> {
    this.history = [];
    for (const [index, step] of session.steps.entries()) {
      await pause(step.thinkMs, this.options.stop);
      if (this.options.stop.isSet) return;
      if (step.asideBefore) await this.aside(session, index);
      const said = this.sayings(session, step, index);
      if (step.abandonsBefore) await this.abandon(session, index, said);
      this.history.push(...said);
      const answer = await this.untilAnswered(session, index);
      if (answer === null) return;
      this.history.push(spoken(answer));
    }
  }

  private sayings(session: SessionPlan, step: Step, index: number): Message[] {
    if (step.role === 'tool') {
      const calls = (this.history.at(-1)?.tool_calls ?? []) as readonly { id: string }[];
      return calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: step.text }));
    }
    const runtime =
      index === 0 && session.style === 'stock'
        ? `\n\nRuntime: agent=main | session=agent:main:explicit:${session.id} | sessionId=${session.id} | host=vm`
        : '';
    return [{ role: 'user', content: `${STAMP}${step.text}${runtime}` }];
  }

  /** Asks again and again, at every gateway in turn, as long as it takes. */
  private async untilAnswered(session: SessionPlan, step: number): Promise<Answer | null> {
    const body = this.body(session, this.history);
    while (!this.options.stop.isSet) {
      const attempt = await this.ask({ session, step, purpose: 'main', body });
      if (attempt.answer !== null) return attempt.answer;
      this.door += 1;
      await pause(RETRY_MS, this.options.stop);
    }
    return null;
  }

  private async aside(session: SessionPlan, step: number): Promise<void> {
    const messages = [...this.history, { role: 'user', content: HEARTBEAT }];
    await this.ask({ session, step, purpose: 'aside', body: this.body(session, messages) });
  }

  private async abandon(session: SessionPlan, step: number, said: readonly Message[]): Promise<void> {
    const other = said.map((message) => ({ ...message, content: `${String(message.content)} (on second thoughts)` }));
    await this.ask({ session, step, purpose: 'abandoned', body: this.body(session, [...this.history, ...other]) });
  }

  private body(session: SessionPlan, messages: readonly Message[]): object {
    const isStock = session.style === 'stock';
    const isPlain = session.style === 'plain';
    return {
      model: 'openclaw-rl',
      messages: isStock
        ? [SYSTEM, ...messages, { role: 'user', content: [{ type: 'text', text: CARRIER }] }]
        : [...messages],
      stream: session.stream,
      ...(session.stream ? { stream_options: { include_usage: true } } : {}),
      ...(isPlain ? {} : { tools: TOOLS, tool_choice: 'auto' }),
    };
  }

  private headers(attempt: Attempt): Record<string, string> {
    const { session, step, purpose } = attempt;
    const isLast = purpose === 'main' && step === session.steps.length - 1;
    const named: Record<Style, Record<string, string>> = {
      stock: {},
      plain: {},
      headers: { 'x-session-id': session.id, ...(isLast ? { 'x-session-done': '1' } : {}) },
      affinity: { 'x-session-affinity': `${session.id}:0`, session_id: `${session.id}:0` },
    };
    return {
      'content-type': 'application/json',
      'user-agent': session.style === 'plain' ? 'plain-chat/1.0' : `OpenClaw/2026.9.6 ${session.style}`,
      ...named[session.style],
    };
  }

  private async ask(request: Pick<Attempt, 'session' | 'step' | 'purpose' | 'body'>): Promise<Attempt> {
    const { doors, ledger, client } = this.options;
    const door = doors[this.door % doors.length]!;
    const attempt = ledger.open({ ...request, client, gateway: door.life() });
    const abort = new AbortController();
    const timer = setTimeout(() => {
      abort.abort();
    }, ANSWER_MS);
    try {
      const response = await fetch(`${door.url}/v1/chat/completions`, {
        method: 'POST',
        headers: this.headers(attempt),
        body: JSON.stringify(request.body),
        signal: abort.signal,
      });
      attempt.turnId = response.headers.get('x-rl-turn-id');
      if (!response.ok) throw new BrokenAnswerError(`status ${response.status} ${await response.text()}`);
      const answer = await this.read(response, attempt, abort);
      attempt.answer = answer;
      ledger.close(attempt, 'finished');
    } catch (error) {
      ledger.close(attempt, attempt.purpose === 'abandoned' ? 'abandoned' : endingOf(error, attempt), describe(error));
    } finally {
      clearTimeout(timer);
    }
    // A client of several gateways is not always sent to the same one.
    if (this.options.isBalanced === true || attempt.step % 3 === 2) this.door += 1;
    return attempt;
  }

  private read(response: Response, attempt: Attempt, abort: AbortController): Promise<Answer> {
    if (!attempt.session.stream || response.body === null) return readWhole(response);
    let pieces = 0;
    return readStream(response.body, async () => {
      pieces += 1;
      if (attempt.purpose === 'abandoned' && pieces === 3) abort.abort();
      if (this.options.isSlow === true) await pause(100, this.options.stop);
    });
  }
}

const spoken = ({ text, toolCalls }: Answer): Message => ({
  role: 'assistant',
  content: toolCalls.length > 0 && text === '' ? null : text,
  ...(toolCalls.length === 0
    ? {}
    : {
        tool_calls: toolCalls.map((call) => ({
          id: withoutMarks(call.id),
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(JSON.parse(call.arguments)) },
        })),
      }),
});

/** By shape: an error of fetch is not of the test's own realm. */
const causeOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? '';
};

const describe = (error: unknown): string => {
  const { name, message } = error as Error;
  return `${name}: ${message} ${causeOf(error)}`.trim();
};

/** Nobody listened, or the gateway said that it takes nothing: such a request has made no turn. */
const endingOf = (error: unknown, { turnId }: Attempt): 'refused' | 'broken' => {
  const isRefused = causeOf(error) === 'ECONNREFUSED' || (error instanceof BrokenAnswerError && turnId === null);
  return isRefused ? 'refused' : 'broken';
};
