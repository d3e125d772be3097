import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { registerFeedback } from './feedback';
import { connectGateway } from './gateway';
import type { Command, Hooks, PluginApi, ReplySending, RunContext, SessionEnd } from './host';
import { REMINDER } from './reminder';
import { SessionNames } from './session-names';

/** A gateway that notes what it is told. */
class FakeGateway {
  readonly told: { path: string; key: string | undefined; body: unknown }[] = [];
  status = 202;
  answer: unknown = {};
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void json(request).then((body) => {
        this.told.push({ path: request.url ?? '', key: request.headers.authorization, body });
        response.writeHead(this.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(this.answer));
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('feedback', () => {
  let gateway: FakeGateway;
  let warned: string[];
  beforeEach(async () => {
    gateway = await new FakeGateway().start();
    warned = [];
  });
  afterEach(() => {
    gateway.stop();
  });

  const plug = (baseUrl: string = gateway.baseUrl, pluginConfig: PluginApi['pluginConfig'] = {}) => {
    let command: Command | undefined;
    const hooks: Partial<Hooks> = {};
    const api: PluginApi = {
      config: { models: { providers: { 'openclaw-rl': { baseUrl, apiKey: 'sk-any' } } } },
      pluginConfig,
      logger: { warn: (text) => warned.push(text) },
      registerProvider: () => undefined,
      registerCommand: (given) => {
        command = given;
      },
      on: (name, handler) => {
        hooks[name] = handler;
      },
    };
    registerFeedback(api, connectGateway(api), new SessionNames());
    let runs = 0;
    const send = (event: Partial<ReplySending>) =>
      hooks.reply_payload_sending!({ kind: 'final', sessionKey: 'k', payload: { text: 'answer' }, ...event });
    return {
      rate: async (args?: string) =>
        (await command!.handler({ sessionId: 's 1', ...(args === undefined ? {} : { args }) })).text,
      end: (event: SessionEnd) => hooks.session_end!(event),
      send,
      /** The model answers, in a run that was begun for somebody. */
      answer: (event: Partial<ReplySending> = {}, context: RunContext = { trigger: 'user' }) => {
        const runId = `run-${(runs += 1)}`;
        hooks.before_prompt_build!({}, { runId, ...context });
        return send({ runId, ...event });
      },
    };
  };

  it.each([
    ['good', { score: 1 }],
    ['👍', { score: 1 }],
    ['BAD  wrong   file', { score: -1, text: 'wrong file' }],
    ['neutral', { score: 0 }],
    ['use a list, not a table', { text: 'use a list, not a table' }],
  ])('/rate %s rates the last answer of the session', async (args, feedback) => {
    expect(await plug().rate(args)).toBe('Thank you, noted.');
    expect(gateway.told).toEqual([
      { path: '/v1/feedback', key: 'Bearer sk-any', body: { session_id: 's 1', ...feedback } },
    ]);
  });

  it('says how to rate, and why a rating was not taken', async () => {
    const { rate } = plug();
    expect(await rate()).toContain('/rate good');
    expect(await rate('  ')).toContain('/rate good');
    expect(gateway.told).toEqual([]);
    gateway.status = 404;
    gateway.answer = { error: { message: 'session_id is not known' } };
    expect(await rate('good')).toBe('Not noted: session_id is not known.');
    gateway.stop();
    expect(await rate('good')).toBe('Not noted: the gateway does not answer.');
  });

  it('says of a rating that comes too late why the model does not learn from it', async () => {
    const { rate } = plug();
    gateway.answer = { status: 'kept', reason: 'the answer is settled already (neutral)' };
    expect(await rate('good')).toBe(
      'Thank you. It is kept, and the model does not learn from it: the answer is settled already (neutral).',
    );
  });

  it.each(['new', 'reset', 'idle', 'daily', 'deleted'])(
    'tells the gateway of a session that ends by %s',
    async (reason) => {
      await plug().end({ sessionId: 's 1', reason });
      expect(gateway.told.map(({ path }) => path)).toEqual(['/v1/sessions/s%201/end']);
    },
  );

  it.each(['compaction', 'shutdown', 'restart', 'unknown'])(
    'ends no session that goes on after a %s',
    async (reason) => {
      await plug().end({ sessionId: 's 1', reason });
      expect(gateway.told).toEqual([]);
    },
  );

  it('ends and rates a compacted session by its first name', async () => {
    const { end } = plug();
    await end({ sessionId: 'a', reason: 'compaction', nextSessionId: 'b' });
    await end({ sessionId: 'b', reason: 'new' });
    expect(gateway.told.map(({ path }) => path)).toEqual(['/v1/sessions/a/end']);
  });

  it('makes nothing of the end of a session in which nothing was said', async () => {
    gateway.status = 404;
    await plug().end({ sessionId: 'a', reason: 'new' });
    expect([gateway.told.length, warned]).toEqual([1, []]);
  });

  it('does no harm where there is no gateway', async () => {
    const { end } = plug();
    gateway.stop();
    await end({ sessionId: 'a', reason: 'new' });
    expect(warned).toEqual(['the gateway was not told of the end of a session: the gateway does not answer']);
  });

  it('encourages a word of feedback below every so many answers of a conversation', () => {
    const { answer } = plug(gateway.baseUrl, { remindEvery: 3 });
    const reminded = () => answer()?.payload.text === `answer\n\n${REMINDER}`;
    expect([1, 2, 3, 4, 5, 6].map(reminded)).toEqual([false, false, true, false, false, true]);
    expect(answer({ sessionKey: 'other' })).toBeUndefined();
  });

  it('reminds nobody below what is no answer, nor where that is switched off', () => {
    const { answer, send } = plug(gateway.baseUrl, { remindEvery: 1 });
    expect(answer({ kind: 'tool' })).toBeUndefined();
    expect(answer({ payload: { text: ' ' } })).toBeUndefined();
    expect(answer({}, { trigger: 'heartbeat' })).toBeUndefined();
    expect(plug(gateway.baseUrl, { remindEvery: 0 }).answer()).toBeUndefined();
    // What a command says, and a second piece of the same answer.
    expect(send({ runId: 'of a command' })).toBeUndefined();
    expect(answer({ runId: 'run-1' })).toBeDefined();
    expect(send({ runId: 'run-1' })).toBeUndefined();
    // A run that goes on under another id: OpenClaw says which model it was.
    expect(send({ runId: 'queued', usageState: {} })).toBeDefined();
    expect(send({ runId: 'queued', usageState: {} })).toBeUndefined();
  });

  it('reminds below every tenth answer where nothing else is configured', () => {
    const { answer } = plug();
    const due = Array.from({ length: 20 }, () => answer() !== undefined);
    expect(due.flatMap((is, i) => (is ? [i + 1] : []))).toEqual([10, 20]);
  });
});
