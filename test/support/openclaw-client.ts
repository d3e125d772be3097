import OpenAI from 'openai';

type Message = OpenAI.ChatCompletionMessageParam;

const CARRIER =
  '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nActive exec sessions:\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';

const TOOLS: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'exec', parameters: { type: 'object', properties: {} } } },
];

const SYSTEM = 'You are a personal assistant running inside OpenClaw.';

/** A turn that a client has been served. */
export interface ServedTurn {
  readonly turnId: string;
  readonly text: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: string }[];
}

/**
 * Speaks like a stock OpenClaw 2026.9.6: no session header, a `Runtime:` line in the first user message, a carrier at the
 * end of each request that is gone from the history of the next, tool-call ids stripped to letters and digits.
 */
export class OpenClawClient {
  readonly history: Message[] = [];
  private readonly openai: OpenAI;

  constructor(
    gateway: string,
    private readonly sessionId: string,
    private readonly options: { headers?: Record<string, string>; runtimeLine?: boolean; tools?: boolean } = {},
  ) {
    this.openai = new OpenAI({
      baseURL: `${gateway}/v1`,
      apiKey: 'sk-any',
      maxRetries: 0,
      ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    });
  }

  /** A user's message and the model's answer to it. */
  say(text: string, headers: Record<string, string> = {}): Promise<ServedTurn> {
    const first = this.history.length === 0 && this.options.runtimeLine !== false;
    const runtime = first
      ? `\n\nRuntime: agent=main | session=agent:main:explicit:${this.sessionId} | sessionId=${this.sessionId} | host=vm`
      : '';
    this.history.push({ role: 'user', content: `[Mon 2026-11-30 06:31 UTC] ${text}${runtime}` });
    return this.call(headers);
  }

  /** Results of the last answer's tool calls, and the model's answer to them. */
  reportTools(turn: ServedTurn, results: readonly string[]): Promise<ServedTurn> {
    turn.toolCalls.forEach((call, i) => {
      this.history.push({ role: 'tool', tool_call_id: stripped(call.id), content: results[i] ?? '' });
    });
    return this.call({});
  }

  /** One more call with the history as it is, and nothing kept of it: a side call in the main session. */
  async aside(messages: readonly Message[]): Promise<ServedTurn> {
    return this.complete([...messages], {});
  }

  private async call(headers: Record<string, string>): Promise<ServedTurn> {
    const carrier: Message = { role: 'user', content: [{ type: 'text', text: CARRIER }] };
    const turn = await this.complete([{ role: 'system', content: SYSTEM }, ...this.history, carrier], headers);
    this.history.push({
      role: 'assistant',
      content: turn.toolCalls.length > 0 && turn.text === '' ? null : turn.text,
      ...(turn.toolCalls.length === 0
        ? {}
        : {
            tool_calls: turn.toolCalls.map(({ id, name, arguments: args }) => ({
              id: stripped(id),
              type: 'function' as const,
              function: { name, arguments: JSON.stringify(JSON.parse(args)) },
            })),
          }),
    });
    return turn;
  }

  private async complete(messages: Message[], headers: Record<string, string>): Promise<ServedTurn> {
    const { data, response } = await this.openai.chat.completions
      .create(
        {
          model: 'openclaw-rl',
          messages,
          stream: true,
          stream_options: { include_usage: true },
          ...(this.options.tools === false ? {} : { tools: TOOLS, tool_choice: 'auto' as const }),
        },
        { headers },
      )
      .withResponse();
    let text = '';
    const calls = new Map<number, { id: string; name: string; arguments: string }>();
    for await (const chunk of data) {
      const delta = chunk.choices[0]?.delta;
      text += delta?.content ?? '';
      for (const call of delta?.tool_calls ?? []) {
        const known = calls.get(call.index) ?? { id: '', name: '', arguments: '' };
        calls.set(call.index, {
          id: call.id ?? known.id,
          name: known.name + (call.function?.name ?? ''),
          arguments: known.arguments + (call.function?.arguments ?? ''),
        });
      }
    }
    return { turnId: response.headers.get('x-rl-turn-id') ?? '', text, toolCalls: [...calls.values()] };
  }
}

const stripped = (id: string): string => id.replace(/[^A-Za-z0-9]/g, '');
