import fc from 'fast-check';
import { jsonText, messageText, ODD_TEXTS } from './support/arbitraries';
import { inFull, runs } from './support/cases';
import { clientErrorOf, isHealthy } from './support/oracle';
import { bodyOf, startWorld, type Tried, type World } from './support/world';

/** Fields that the gateway itself reads of a chat. */
const FIELDS = [
  'model',
  'messages',
  'tools',
  'stream',
  'logprobs',
  'n',
  'temperature',
  'top_p',
  'top_k',
  'user',
  'prompt_cache_key',
  'session_id',
  'turn_type',
  'session_done',
  'return_input_ids_in_sglext',
];

/** Fields of ours, which never reach a model. */
const OURS = new Set(['session_id', 'turn_type', 'session_done']);

describe('chat requests of every shape', () => {
  let world: World;
  const served: string[] = [];

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());
  afterEach(async () => {
    expect(await isHealthy(world.gateway.url)).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  /** Either refused in OpenAI's envelope before anything was forwarded, or served, with these texts upstream. */
  const check = ({ answer, call, turnId }: Tried, forwarded: readonly string[]): 'served' | 'refused' => {
    if (answer.status !== 200) {
      clientErrorOf(answer);
      expect(call).toBeUndefined();
      expect(turnId).toBeUndefined();
      return 'refused';
    }
    expect(turnId).toBeDefined();
    served.push(turnId!);
    for (const text of forwarded) expect(call!.body.includes(Buffer.from(text))).toBe(true);
    expect(() => JSON.parse(call!.body.toString('utf8')) as unknown).not.toThrow();
    return 'served';
  };

  const tryBody = async (body: Buffer | string, forwarded: readonly string[] = []) => {
    const tried = await world.chat(body);
    return { ...tried, result: check(tried, forwarded) };
  };

  it.each(FIELDS)('reads %s of any type, or names it in a 400', async (field) => {
    for (const text of ODD_TEXTS) {
      const forwarded = OURS.has(field) ? [] : [`${JSON.stringify(field)}:${text}`];
      const { answer, result } = await tryBody(
        bodyOf({ [field]: text }),
        // The model has a name of its own upstream, and what we ask for ourselves is set anew.
        /^(model|logprobs|return_)/.test(field) ? [] : forwarded,
      );
      if (result === 'refused') expect(clientErrorOf(answer).param).toMatch(new RegExp(`^${field}`));
    }
  });

  it('reads messages of any shape, or names the message in a 400', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(messageText, { maxLength: 5 }), async (texts) => {
        const messages = `[${texts.join(',')}]`;
        const { answer, result } = await tryBody(bodyOf({ messages }), [`"messages":${messages}`]);
        if (result === 'refused') expect(clientErrorOf(answer).param).toMatch(/^(messages|body)/);
      }),
      runs(1500),
    );
  });

  it('leaves fields that it does not know as they are, bytes and all', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, jsonText, async (one, two) => {
        const body = `{ "x_one" :${one}\t,"messages":[{"role":"user","content":"hi"}] , "__proto__":${two},"x_one":${two}\r\n}`;
        const { result } = await tryBody(body, [`"x_one" :${one}`, `"__proto__":${two},"x_one":${two}`]);
        expect(result).toBe('served');
      }),
      runs(300),
    );
  });

  it('answers bytes that are no JSON with 400', async () => {
    const whole = Buffer.from(bodyOf({ messages: '[{"role":"user","content":"größer 🦀"}]' }));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.nat(255),
        fc.constantFrom('cut', 'replace', 'insert', 'append', 'prepend'),
        async (at, byte, how) => {
          const piece = Buffer.of(byte);
          const bodies = {
            cut: whole.subarray(0, at),
            replace: Buffer.concat([whole.subarray(0, at), piece, whole.subarray(at + 1)]),
            insert: Buffer.concat([whole.subarray(0, at), piece, whole.subarray(at)]),
            append: Buffer.concat([whole, piece]),
            prepend: Buffer.concat([piece, whole]),
          };
          const body = bodies[how];
          let isJson = true;
          try {
            JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
          } catch {
            isJson = false;
          }
          const { result } = await tryBody(body);
          if (!isJson) expect(result).toBe('refused');
        },
      ),
      runs(400),
    );
  });

  it.each<[string, Buffer | string]>([
    ['nothing', ''],
    ['a space', ' '],
    ['a scalar', '5'],
    ['null', 'null'],
    ['an array', '[{"messages":[]}]'],
    ['a BOM before the object', `\uFEFF${bodyOf()}`],
    ['UTF-16', Buffer.from(bodyOf(), 'utf16le')],
    ['NaN', bodyOf({ temperature: 'NaN' })],
    ['a comment', `/* hi */${bodyOf()}`],
    ['two objects', bodyOf() + bodyOf()],
    ['a trailing comma', '{"messages":[{"role":"user"}],}'],
    ['an unfinished string', '{"messages":[{"role":"user","content":"'],
    [
      'an overlong UTF-8 sequence',
      Buffer.from([...Buffer.from('{"messages":[{"role":"user","content":"'), 0xc0, 0xaf, ...Buffer.from('"}]}')]),
    ],
    [
      'a surrogate in UTF-8',
      Buffer.from([
        ...Buffer.from('{"messages":[{"role":"user","content":"'),
        0xed,
        0xa0,
        0x80,
        ...Buffer.from('"}]}'),
      ]),
    ],
    [
      'a byte that is no UTF-8 in a name',
      Buffer.from([...Buffer.from('{"x'), 0xff, ...Buffer.from('":1,"messages":[{"role":"user"}]}')]),
    ],
    ['gzip', Buffer.from('1f8b0800000000000003ab56ca48cdc9c957b252500a0040', 'hex')],
  ])('refuses a body of %s', async (_, body) => {
    expect((await tryBody(body)).result).toBe('refused');
  });

  it('takes repeated keys as the model will: the last one counts, and all of them go on', async () => {
    const body =
      '{"messages":5,"model":"a","messages":[{"role":"user","content":"hi"}],"model":"b","stream":"x","stream":false}';
    const { result, call } = await tryBody(body, ['"messages":5', '"stream":"x","stream":false']);
    expect(result).toBe('served');
    expect(call!.body.toString().match(/"model":[^,]*/g)).toEqual(['"model":"the-model"']);
  });

  const nest = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

  it.each<[string, (depth: number) => Record<string, string>]>([
    ['a content', (depth) => ({ messages: `[{"role":"user","content":[{"type":"x","x":${nest(depth, '[', ']')}}]}]` })],
    [
      'tool arguments',
      (depth) => ({
        messages: `[{"role":"user"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${nest(depth, '{"a":', '}').replace(':}', ':1}')}}}]},{"role":"user"}]`,
      }),
    ],
    [
      'tool arguments as text',
      (depth) => ({
        messages: JSON.stringify([
          { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: nest(depth, '[', ']') } }] },
          { role: 'user', content: 'x' },
        ]),
      }),
    ],
    ['tools', (depth) => ({ tools: `[${nest(depth, '[', ']')}]` })],
    ['an unknown field', (depth) => ({ x: nest(depth, '[', ']') })],
    ['a known field', (depth) => ({ user: nest(depth, '[', ']') })],
  ])('survives %s that is nested 100,000 levels deep, and stores what it serves', async (_, members) => {
    for (const depth of [200, 5000, 100_000]) await tryBody(bodyOf(members(depth)));
  });

  it('serves what is large and not deep', async () => {
    const long = 'ü'.repeat(1_000_000);
    expect((await tryBody(bodyOf({ messages: JSON.stringify([{ role: 'user', content: long }]) }))).result).toBe(
      'served',
    );
    const many = JSON.stringify(
      Array.from({ length: 20_000 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i}` })),
    );
    expect((await tryBody(bodyOf({ messages: many }))).result).toBe('served');
    expect((await tryBody(bodyOf({ x: `[${'0,'.repeat(500_000)}0]` }))).result).toBe('served');
    expect((await tryBody(bodyOf({ [`k${'k'.repeat(1_000_000)}`]: '1' }))).result).toBe('served');
  });

  inFull(
    'serves 30 MB, in any of its shapes, in bounded time',
    async () => {
      const size = 30_000_000;
      const shapes: Record<string, string>[] = [
        { messages: JSON.stringify([{ role: 'user', content: 'x'.repeat(size) }]) },
        { messages: JSON.stringify([{ role: 'user', content: '\\"'.repeat(size / 4) }]) },
        { messages: `[${'{"role":"user"},'.repeat(size / 16)}{"role":"user"}]` },
        { messages: `[{"role":"user","content":[${'{"type":"text","text":""},'.repeat(size / 26)}{}]}]` },
        { x: `[${'[],'.repeat(size / 3)}0]` },
        { user: JSON.stringify('\\'.repeat(size / 2)) },
      ];
      for (const members of shapes) {
        // Within the time that any answer may take here; a quarter of it on a machine with nothing else to do.
        const { result, answer } = await tryBody(bodyOf(members));
        if (result === 'refused') expect(clientErrorOf(answer).param).toBe('messages');
      }
    },
    120_000,
  );

  it('refuses what is over the limit with 413', async () => {
    const { answer } = await tryBody(Buffer.alloc(33 * 1024 * 1024, 0x20));
    expect(answer.status).toBe(413);
  });

  it('has stored every turn that it served', async () => {
    expect(served.length).toBeGreaterThan(100);
    await world.allStored(served);
  });
});
