import fc from 'fast-check';
import { hashAnswer } from './chain';
import { isRecord, type ChatMessage } from './chat-message';
import { describeConversation } from './conversation';

const extendChain = (promptChain: string, response: ChatMessage): string =>
  hashAnswer({ promptChain, promptEnd: null }, response).chain;
const hashExchange = (promptEnd: string, response: ChatMessage): string | null =>
  hashAnswer({ promptChain: '', promptEnd }, response).exchange;
const hashResponse = (response: ChatMessage): string =>
  hashAnswer({ promptChain: '', promptEnd: null }, response).response;

const call = (id: string, name: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const withCalls = (...toolCalls: unknown[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: toolCalls,
});

describe('hashResponse', () => {
  const same: readonly (readonly [string, ChatMessage, ChatMessage])[] = [
    ['spaces around the text', { role: 'assistant', content: ' a\n' }, { role: 'assistant', content: 'a' }],
    ['null for no text', { role: 'assistant', content: null }, { role: 'assistant', content: '' }],
    ['no content at all', { role: 'assistant' }, { role: 'assistant', content: '', tool_calls: [] }],
    [
      'thoughts in the text',
      { role: 'assistant', content: '<think>x</think>\n\na' },
      { role: 'assistant', content: 'a' },
    ],
    [
      'reasoning fields',
      { role: 'assistant', content: 'a', reasoning_content: 'r', reasoning: 'r' },
      { role: 'assistant', content: 'a' },
    ],
    ['stripped ids', withCalls(call('call_ab-1', 'f', '{}')), withCalls(call('callab1', 'f', '{}'))],
    [
      'arguments printed again',
      withCalls(call('c', 'f', '{"b":1,"a":[2]}')),
      withCalls(call('c', 'f', '{ "a": [2], "b": 1.0 }')),
    ],
    ['arguments as an object', withCalls(call('c', 'f', '{"a":1}')), withCalls(call('c', 'f', { a: 1 }))],
    ['empty arguments', withCalls(call('c', 'f', '')), withCalls(call('c', 'f', '{}'))],
    ['a position of the stream', withCalls({ ...call('c', 'f', '{}'), index: 0 }), withCalls(call('c', 'f', '{}'))],
  ];

  it.each(same)('is not changed by %s', (_name, a, b) => {
    expect(hashResponse(a)).toBe(hashResponse(b));
  });

  const different: readonly (readonly [string, ChatMessage, ChatMessage])[] = [
    ['the text', { role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b' }],
    ['a tool’s name', withCalls(call('c', 'f', '{}')), withCalls(call('c', 'g', '{}'))],
    ['arguments', withCalls(call('c', 'f', '{"a":1}')), withCalls(call('c', 'f', '{"a":2}'))],
    ['arguments that are no JSON', withCalls(call('c', 'f', '{"a":')), withCalls(call('c', 'f', '{"b":'))],
    [
      'the order of calls',
      withCalls(call('c', 'f', '{}'), call('d', 'g', '{}')),
      withCalls(call('d', 'g', '{}'), call('c', 'f', '{}')),
    ],
    ['an unclosed thought', { role: 'assistant', content: '<think>a' }, { role: 'assistant', content: '' }],
    ['text against arguments of that text', { role: 'assistant', content: '{}' }, withCalls(call('', '', '{}'))],
  ];

  it.each(different)('is changed by %s', (_name, a, b) => {
    expect(hashResponse(a)).not.toBe(hashResponse(b));
  });
});

/** Words that a careless join could read as structure. */
const word = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', '","', '"],["user","', '\\', '[]', 'user', 'assistant', '0:', '\u0000', '\ud800'),
  fc.string({ minLength: 1, maxLength: 4 }),
);
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `.${words.join('')}.`);
const id = fc.stringMatching(/^[a-z0-9]{1,4}$/);
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  text.map((content) => ({ role: 'user', content })),
  text.map((content) => ({ role: 'assistant', content })),
  fc.tuple(id, text).map(([tool_call_id, content]) => ({ role: 'tool', tool_call_id, content })),
  fc
    .array(fc.tuple(id, text, fc.json({ maxDepth: 1 })), { minLength: 1, maxLength: 2 })
    .map((calls) => withCalls(...calls.map(([key, name, args]) => call(key, name, JSON.parse(args))))),
);
const conversation = fc.array(message, { maxLength: 4 });

describe('the message chain', () => {
  it('gives two conversations one hash only if they are equal', () => {
    // By the key alone: sorted without a rule, a value would have to become text, which one with a `toString` of its own cannot.
    const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(conversation, (messages) => {
        const { promptChain } = describeConversation(messages, 's');
        const sortedCopy = JSON.stringify(messages, (_key, value: unknown) =>
          isRecord(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value,
        );
        expect(seen.get(promptChain) ?? sortedCopy).toBe(sortedCopy);
        seen.set(promptChain, sortedCopy);
      }),
      { numRuns: 3000 },
    );
  });

  it('does not move when text moves across a border between messages, parts or fields', () => {
    const variants: ChatMessage[][] = [
      [{ role: 'user', content: 'ab' }],
      [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'x' }, { type: 'text', text: 'b' }] }],
      [{ role: 'user', content: [{ type: 'x' }, { type: 'text', text: 'a b' }] }],
      [{ role: 'tool', tool_call_id: 'a', content: 'b' }],
      [{ role: 'tool', tool_call_id: 'ab', content: '' }],
      [{ role: 'assistant', content: 'ab' }],
      [{ role: 'critic', content: 'ab' }],
      [],
    ];
    const hashes = variants.map((messages) => describeConversation(messages, 's').promptChain);
    expect(new Set(hashes).size).toBe(variants.length);
  });

  it('shows the continuing request the chain that was foretold, for any conversation', () => {
    fc.assert(
      fc.property(conversation, text, message, (messages, answer, follower) => {
        const response = { role: 'assistant', content: answer };
        const continuing = describeConversation(
          [...messages, response, { role: 'user', content: answer }, follower],
          's',
        );
        const { promptChain, promptEnd } = describeConversation(messages, 's');
        fc.pre(follower.role !== 'assistant');
        expect(continuing.parentChain).toBe(extendChain(promptChain, response));
        expect(continuing.parentExchange).toBe(promptEnd === null ? null : hashExchange(promptEnd, response));
      }),
    );
  });

  it('never throws, whatever the messages are', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          role: fc.constantFrom('user', 'assistant', 'tool', 'x'),
          content: fc.jsonValue(),
          tool_calls: fc.jsonValue(),
          tool_call_id: fc.jsonValue(),
        },
        { requiredKeys: ['role'] },
      ),
    );
    fc.assert(
      fc.property(fc.array(odd), (messages) => {
        const described = describeConversation(messages as ChatMessage[], 's');
        expect(described).toEqual(describeConversation(messages as ChatMessage[], 's'));
        expect(described.nextState.every(({ role }) => role === 'user' || role === 'tool')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('joins text parts as flattened contents are joined', () => {
    const parts = ['a', 'b'].map((part) => ({ type: 'text', text: part }));
    const hashes = ['a b', parts].map((content) => describeConversation([{ role: 'user', content }], 's').promptChain);
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('tells messages of odd shapes apart', () => {
    const contents = [5, true, { a: 1 }, [{ a: 1 }], '5', [[]], [null]];
    const hashes = contents.map((content) => describeConversation([{ role: 'user', content }], 's').promptChain);
    expect(new Set(hashes).size).toBe(contents.length);
  });

  it('survives nesting that would exhaust the stack', () => {
    const content: unknown = JSON.parse(`${'[{"a":'.repeat(3_000)}1${'}]'.repeat(3_000)}`);
    const deep = '['.repeat(100_000);
    const messages = [{ role: 'user', content }, withCalls(call('c', 'f', deep)), { role: 'tool', content }];
    expect(describeConversation(messages, 's').nextStateRole).toBe('tool');
  });

  it('takes time in proportion to the conversation', () => {
    const long = (turns: number) =>
      Array.from({ length: turns }, (_, i) => [
        { role: 'user', content: `question ${i} ${'x'.repeat(1000)}` },
        { role: 'assistant', content: `answer ${i} ${'\n\nRuntime: '.repeat(100)}` },
      ]).flat();
    const started = process.cpuUsage().user;
    expect(describeConversation(long(5_000), 's').parentChain).not.toBeNull();
    expect(process.cpuUsage().user - started).toBeLessThan(5_000_000);
  });
});
