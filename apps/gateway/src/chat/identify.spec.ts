import { describeConversation, type ChatMessage, hashAnswer } from '@app/chat';
import { scopeOf, sessionKey } from '@app/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import { assertSessionHeaders, identify, type Identity } from './identify';
import { parseChatRequest } from './parse-request';

const extendChain = (promptChain: string, response: ChatMessage): string =>
  hashAnswer({ promptChain, promptEnd: null }, response).chain;
const hashResponse = (response: ChatMessage): string =>
  hashAnswer({ promptChain: '', promptEnd: null }, response).response;

const SCOPE = scopeOf({ apiKey: 'k1' });
const OTHER_SCOPE = scopeOf({ apiKey: 'k2' });
const STOCK: IncomingHttpHeaders = {
  accept: 'application/json',
  'user-agent': 'OpenAI/JS 7.15.0',
  traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
};
const TOOLS = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object' } } }];

/** Requests of OpenClaw's shapes; every text is ours. */
const SYSTEM: ChatMessage = { role: 'system', content: '<!-- openclaw:attempt:STABLE -->\nYou help Ada.' };
const CONTEXT =
  '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n"Active exec sessions:\\nnone"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';
const CARRIER: ChatMessage = { role: 'user', content: [{ type: 'text', text: CONTEXT }] };
const runtime = (id: string): string =>
  `Runtime: agent=main | session=agent:main:explicit:${id} | sessionId=${id} | host=vm | model=stub/stub-model`;
const opens = (text: string, id = 't1'): ChatMessage => ({
  role: 'user',
  content: `[Mon 2026-11-30 06:31 UTC] ${text}\n\n${runtime(id)}`,
});
const says = (text: string): ChatMessage => ({ role: 'user', content: `[Mon 2026-11-30 06:32 UTC] ${text}` });
const answers = (text: string): ChatMessage => ({ role: 'assistant', content: text });

const place = (
  messages: ChatMessage[],
  headers: IncomingHttpHeaders = {},
  body: Record<string, unknown> = {},
  { scope = SCOPE, heartbeatPrompts = [] as string[] } = {},
): Identity => {
  const raw = { model: 'stub-model', messages: [SYSTEM, ...messages, CARRIER], tools: TOOLS, stream: true, ...body };
  const request = parseChatRequest(Buffer.from(JSON.stringify(raw)));
  const conversation = describeConversation(request.messages, scope, heartbeatPrompts);
  return identify({ ...STOCK, ...headers }, request, conversation, { scope, heartbeatPrompts });
};

const AFFINITY = { session_id: 't1:0', 'x-client-request-id': 't1:0', 'x-session-affinity': 't1:0' };

describe('assertSessionHeaders', () => {
  it.each(['x-session-id', 'x-session-affinity', 'session_id'])(
    'refuses a %s that is too long to be told apart',
    (name) => {
      expect(() => {
        assertSessionHeaders({ [name]: 'x'.repeat(513) });
      }).toThrow(expect.objectContaining({ status: 400, param: name }));
      assertSessionHeaders({ [name]: 'x'.repeat(512), 'x-other': 'x'.repeat(600) });
    },
  );
});

describe('assertSessionHeaders of a label', () => {
  it('refuses one that is neither main nor side, as in a body', () => {
    expect(() => {
      assertSessionHeaders({ 'x-turn-type': 'heartbeat' });
    }).toThrow(expect.objectContaining({ status: 400, param: 'x-turn-type' }));
    for (const label of ['main', 'side', 'Side', ' ']) assertSessionHeaders({ 'x-turn-type': label });
  });

  it.each(['maybe', '2', 'done'])('refuses X-Session-Done: %s, and says what it may be', (value) => {
    expect(() => {
      assertSessionHeaders({ 'x-session-done': value });
    }).toThrow(
      expect.objectContaining({
        status: 400,
        param: 'x-session-done',
        message: 'x-session-done: must be one of 1, true, yes, 0, false, no',
      }),
    );
    for (const known of ['1', 'True', 'YES', '0', 'false', 'No', '']) assertSessionHeaders({ 'x-session-done': known });
  });
});

describe('identify', () => {
  it('takes a header in UTF-8 for the name that it is in a body', () => {
    const [inBody, inHeader] = [
      place([says('hi')], {}, { session_id: 'Grüße 🦀' }),
      place([says('hi')], { 'x-session-id': Buffer.from('Grüße 🦀').toString('latin1') }),
    ];
    expect(inHeader.sessionId).toBe('Grüße 🦀');
    expect(inHeader.info.namedSession).toBe(inBody.info.namedSession);
  });

  describe('a stock client', () => {
    it('opens a conversation that only its Runtime line names', () => {
      const identity = place([opens('hello')]);
      expect(identity).toMatchObject({ sessionId: 't1', nextStateRole: null });
      expect(identity.info).toMatchObject({
        scope: SCOPE,
        kind: 'main',
        runtimeSession: sessionKey(SCOPE, 't1'),
        hasTools: true,
        sessionDone: false,
      });
      expect(identity.info).not.toHaveProperty('namedSession');
      expect(identity.info).not.toHaveProperty('parentChain');
      expect(identity.info).not.toHaveProperty('parentResponse');
      expect(identity.info).not.toHaveProperty('narrow');
    });

    it('continues the answer that it quotes, by the chain that the answer got', () => {
      const first = [opens('hello')];
      const chain = extendChain(
        describeConversation([SYSTEM, ...first, CARRIER], SCOPE).promptChain,
        answers('Hi Ada.'),
      );
      const next = place([...first, answers('Hi Ada.'), says('no, in French')]);
      expect(next.nextStateRole).toBe('user');
      expect(next.info.parentChain).toBe(chain);
      expect(next.info.parentExchange).toMatch(/^[-\w]{32}$/);
      expect(next.info).not.toHaveProperty('parentResponse');
    });

    it('brings tool results as the next state of the call', () => {
      const call = { id: 'call1', type: 'function', function: { name: 'exec', arguments: '{"command":"ls"}' } };
      const identity = place([
        opens('list the files'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', content: 'a.txt', tool_call_id: 'call1' },
      ]);
      expect(identity).toMatchObject({ nextStateRole: 'tool', info: { kind: 'main' } });
    });

    it('is placed alike with a carrier of plain text', () => {
      const messages = [SYSTEM, opens('hello'), { role: 'user', content: CONTEXT }];
      expect(place([], {}, { messages }).info).toEqual(place([opens('hello')]).info);
    });

    it('keeps the session through a compaction, whose summary carries the Runtime line', () => {
      const summary =
        'The conversation history before this point was compacted into the following summary:\n\n<summary>\nshort\n</summary>';
      const content = [summary, runtime('g1')].map((text) => ({ type: 'text', text }));
      const identity = place([{ role: 'user', content }, answers('Bonjour.'), says('good')]);
      expect(identity.info).toMatchObject({
        runtimeSession: sessionKey(SCOPE, 'g1'),
        parentResponse: hashResponse(answers('Bonjour.')),
      });
      expect(identity.nextStateRole).toBe('user');
    });

    it('has no session without a Runtime line', () => {
      const identity = place([says('hello')]);
      expect(identity.sessionId).toBeNull();
      expect(identity.info).not.toHaveProperty('runtimeSession');
    });
  });

  describe('names of a session', () => {
    const named = (headers: IncomingHttpHeaders, body: Record<string, unknown> = {}): string | null => {
      const identity = place([opens('hello')], headers, body);
      const key = identity.info.namedSession;
      if (identity.sessionId === null || key === undefined) return null;
      expect(key).toBe(sessionKey(SCOPE, identity.sessionId));
      expect(identity.info).not.toHaveProperty('runtimeSession');
      return identity.sessionId;
    };

    it.each([
      ['X-Session-Id', { 'x-session-id': 's9' }, {}, 's9'],
      ['session_id of the body', {}, { session_id: 's9' }, 's9'],
      ['the header above the body', { 'x-session-id': 's9' }, { session_id: 's8' }, 's9'],
      ['affinity headers, without their count', AFFINITY, {}, 't1'],
      ['affinity headers after a compaction', { ...AFFINITY, 'x-session-affinity': 't1:3' }, {}, 't1'],
      ['the session_id header alone', { session_id: 't1:0' }, {}, 't1'],
      ['X-Session-Id above affinity headers', { ...AFFINITY, 'x-session-id': 's9' }, {}, 's9'],
      ['body session_id above affinity headers', AFFINITY, { session_id: 's9' }, 's9'],
      ['X-Session-Id with a count that the Runtime line lacks', { 'x-session-id': 't1:2' }, {}, 't1'],
      ['X-Session-Id that only ends like a count', { 'x-session-id': 'room:12' }, {}, 'room:12'],
      ['a name with space around it', { 'x-session-id': ' s9 ' }, {}, 's9'],
      ['an id of colons, as webchats have them', { 'x-session-affinity': 'agent:main:x:0' }, {}, 'agent:main:x'],
    ])('%s', (_what, headers, body, id) => {
      expect(named(headers, body)).toBe(id);
    });

    it.each([
      ['x-client-request-id alone', { 'x-client-request-id': 'req-7' }],
      ['an empty header', { 'x-session-id': '  ' }],
      ['an affinity of nothing but a count', { 'x-session-affinity': ':0' }],
      ['trace and turn ids', { 'x-turn-id': 'a', 'x-attempt': '1', 'x-trigger': 'user' }],
    ])('%s names none: the Runtime line does', (_what, headers) => {
      expect(named(headers)).toBeNull();
      expect(place([opens('hello')], headers).info.runtimeSession).toBe(sessionKey(SCOPE, 't1'));
    });

    it('are one session, however it is named', () => {
      const key = sessionKey(SCOPE, 't1');
      expect(place([opens('hello')]).info.runtimeSession).toBe(key);
      expect(place([opens('hello')], AFFINITY).info.namedSession).toBe(key);
      expect(place([opens('hello')], { 'x-session-id': 't1' }).info.namedSession).toBe(key);
      expect(place([opens('hello')], { 'x-session-id': 't1:0' }).info.namedSession).toBe(key);
    });

    it('stay out of the info, which travels in headers', () => {
      const identity = place([opens('hello', 'secret-name')], { 'x-session-id': 'other-secret' }, { user: 'ada@x' });
      expect(JSON.stringify(identity.info)).not.toMatch(/secret|ada/);
    });
  });

  it('never lets two clients share a session, a chain or a narrowing', () => {
    const messages = [opens('hello'), answers('Hi.'), says('thanks')];
    const one = place(messages, AFFINITY, { user: 'u' }).info;
    const two = place(messages, AFFINITY, { user: 'u' }, { scope: OTHER_SCOPE }).info;
    for (const field of ['scope', 'namedSession', 'parentChain', 'narrow', 'client'] as const) {
      expect(one[field]).toBeDefined();
      expect(two[field]).not.toBe(one[field]);
    }
  });

  it('tells two programs of one key apart', () => {
    expect(place([opens('a')]).info.client).toBe(place([opens('b')]).info.client);
    expect(place([opens('a')], { 'user-agent': 'curl/8' }).info.client).not.toBe(place([opens('a')]).info.client);
    expect(place([opens('a')], { 'user-agent': undefined }).info.client).toMatch(/^[-\w]{32}$/);
  });

  it('narrows by prompt_cache_key without its count, else by user', () => {
    const narrow = (body: Record<string, unknown>): unknown => place([opens('a')], {}, body).info.narrow;
    expect(narrow({ prompt_cache_key: 't1:0' })).toBe(narrow({ prompt_cache_key: 't1:4', user: 'u' }));
    expect(narrow({ user: 'u' })).not.toBe(narrow({ user: 'v' }));
    expect(narrow({})).toBeUndefined();
  });

  describe('side turns', () => {
    const HEARTBEAT: ChatMessage = {
      role: 'user',
      content: `Follow the heartbeat monitor scratch context when provided. Else reply NO_REPLY.\n\n${runtime('t1')}`,
    };
    const HEARTBEAT_TOOL = { type: 'function', function: { name: 'heartbeat_respond', parameters: {} } };
    const summarize: ChatMessage[] = [
      { role: 'system', content: 'You are a context summarization assistant. Write a summary.' },
      {
        role: 'user',
        content: [{ type: 'text', text: '<conversation>\n[User]: hello\n</conversation>\n\nSummarize.' }],
      },
    ];

    it.each([
      ['a heartbeat', place([HEARTBEAT])],
      ['a heartbeat in the history of a main session', place([opens('hi'), answers('Hi.'), { ...HEARTBEAT }])],
      [
        'a heartbeat of other words that offers its tool',
        place([opens('hi'), answers('Hi.'), says('Check the mail.')], {}, { tools: [...TOOLS, HEARTBEAT_TOOL] }),
      ],
      [
        'a heartbeat of configured words',
        place([opens('hi'), answers('Hi.'), says('Check the mail.')], {}, {}, { heartbeatPrompts: ['Check the mail'] }),
      ],
      ['the label side', place([opens('hi')], { 'x-turn-type': 'side' })],
      ['the label in capitals', place([opens('hi')], { 'x-turn-type': 'Side' })],
      ['the label in the body', place([opens('hi')], {}, { turn_type: 'side' })],
      [
        'a compaction call that its client labels main',
        place([], { 'x-session-id': 'g1', 'x-turn-type': 'main' }, { messages: summarize, tools: undefined }),
      ],
      [
        'a title',
        place(
          [],
          {},
          { messages: [{ role: 'system', content: 'Generate a concise session title (3-6 words)' }, says('x')] },
        ),
      ],
      [
        'a subagent',
        place([
          { role: 'user', content: `do it\n\n${runtime('s').replace('agent:main:explicit', 'agent:main:subagent')}` },
        ]),
      ],
    ])('%s is one, and no feedback', (_what, identity) => {
      expect(identity).toMatchObject({ info: { kind: 'side' }, nextStateRole: null });
    });

    it.each([
      ['the label main', place([opens('hi')], { 'x-turn-type': 'main' })],
      ['the header main above the body', place([opens('hi')], { 'x-turn-type': 'main' }, { turn_type: 'side' })],
      ['a heartbeat text that a user quotes', place([opens('what does "Follow the heartbeat monitor" mean?')])],
    ])('%s is none', (_what, identity) => {
      expect(identity.info.kind).toBe('main');
    });

    it('says whether tools were sent, which tells a side call of an unknown kind', () => {
      expect(place([opens('hi')], {}, { tools: undefined }).info.hasTools).toBe(false);
      expect(place([opens('hi')], {}, { tools: [] }).info.hasTools).toBe(false);
    });
  });

  it('does not take a rewritten retry for feedback', () => {
    const retried =
      '[Queued user message from a previous active turn; preserved as context only. Continue with the active prompt below.]\nno, in French\n\nContinue the current task from the existing transcript, preserving completed work.';
    const first = [opens('hello'), answers('Hi Ada.')];
    const original = place([...first, says('no, in French')]);
    const retry = place([...first, says(retried)]);
    expect(original.nextStateRole).toBe('user');
    expect(retry.nextStateRole).toBeNull();
    expect(retry.info.parentChain).toBe(original.info.parentChain);
  });

  it.each([
    ['1', true],
    ['true', true],
    ['YES', true],
    ['0', false],
    ['false', false],
    ['', false],
  ])('takes X-Session-Done: %j for %j', (value, done) => {
    expect(place([opens('bye')], { 'x-session-done': value }).info.sessionDone).toBe(done);
  });

  it('takes session_done of the body', () => {
    expect(place([opens('bye')], {}, { session_done: true }).info.sessionDone).toBe(true);
  });
});
