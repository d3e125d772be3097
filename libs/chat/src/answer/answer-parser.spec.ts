import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import {
  endsInsideThought,
  findToolDialect,
  THOUGHT_MARKS,
  TOOL_DIALECTS,
  toolSchemas,
  type ToolDialectName,
} from './answer-form';
import { AnswerParser, type AnswerForm, type AnswerStep } from './answer-parser';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'read',
      parameters: {
        properties: { path: { type: 'string' }, lines: { type: 'integer' }, note: { type: ['string', 'null'] } },
      },
    },
  },
  { type: 'function', function: { name: 'ls' } },
];

const form = (tools: ToolDialectName | null, more: Partial<AnswerForm> = {}): AnswerForm => ({
  reasoning: THOUGHT_MARKS,
  startsInside: false,
  tools: tools === null ? null : TOOL_DIALECTS[tools],
  schemas: toolSchemas(TOOLS),
  ...more,
});

/** Steps with neighbouring texts of one kind joined: what a client puts together, whatever the pieces. */
const merge = (steps: readonly AnswerStep[]): AnswerStep[] =>
  steps.reduce<AnswerStep[]>((merged, step) => {
    const last = merged.at(-1);
    if (step.kind === 'call' || last?.kind !== step.kind) return [...merged, step];
    return [...merged.slice(0, -1), { kind: step.kind, text: last.text + step.text }];
  }, []);

const parse = (pieces: readonly string[], answerForm: AnswerForm): AnswerStep[] => {
  const parser = new AnswerParser(answerForm);
  return merge([...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]);
};

const content = (text: string): AnswerStep => ({ kind: 'content', text });
const reasoning = (text: string): AnswerStep => ({ kind: 'reasoning', text });
const call = (name: string, args: string, { index = 0, id }: { index?: number; id?: string } = {}): AnswerStep => ({
  kind: 'call',
  index,
  call: { ...(id === undefined ? {} : { id }), name, arguments: args },
});

const DEEPSEEK = (...calls: string[]) => `<｜tool▁calls▁begin｜>${calls.join('\n')}<｜tool▁calls▁end｜>`;
const KIMI = (...calls: string[]) => `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;

const WHOLE: [name: string, dialect: ToolDialectName | null, text: string, steps: AnswerStep[]][] = [
  ['plain text', 'hermes', 'Hello,\n\nworld.\n', [content('Hello,\n\nworld.\n')]],
  ['thoughts, then text', 'hermes', '<think>\nHm.\n</think>\n\nYes.', [reasoning('Hm.'), content('Yes.')]],
  ['an empty thought', 'hermes', '<think>\n\n</think>\n\nYes.', [content('Yes.')]],
  ['thoughts that never end', 'hermes', '<think>\nHm', [reasoning('Hm')]],
  ['a thought mark behind text', 'hermes', 'See <think>x</think>', [content('See <think>x</think>')]],
  [
    'a call behind text',
    'hermes',
    'Let me look.\n<tool_call>\n{"name": "read", "arguments": {"path": "a", "lines": 1.0}}\n</tool_call>',
    [content('Let me look.'), call('read', '{"path": "a", "lines": 1.0}')],
  ],
  [
    'two calls',
    'hermes',
    '<tool_call>\n{"name":"read","arguments":{}}\n</tool_call>\n<tool_call>\n{"arguments":{"a":"}"},"name":"ls"}\n</tool_call>\n',
    [call('read', '{}'), call('ls', '{"a":"}"}', { index: 1 })],
  ],
  [
    'arguments in a string',
    'hermes',
    '<tool_call>{"name":"ls","arguments":"{\\"a\\":1}"}</tool_call>',
    [call('ls', '{"a":1}')],
  ],
  [
    'a call inside a thought',
    'hermes',
    '<think><tool_call>x</tool_call></think>a',
    [reasoning('<tool_call>x</tool_call>'), content('a')],
  ],
  [
    'a call that is no JSON',
    'hermes',
    'a\n<tool_call>\n{"name": \n</tool_call>\nb',
    [content('a\n<tool_call>\n{"name": \n</tool_call>\nb')],
  ],
  [
    'arguments that are no object',
    'hermes',
    '<tool_call>{"name":"ls","arguments":[1]}</tool_call>',
    [content('<tool_call>{"name":"ls","arguments":[1]}</tool_call>')],
  ],
  ['a call cut off', 'hermes', 'a\n\n<tool_call>\n{"name": "re', [content('a\n\n<tool_call>\n{"name": "re')]],
  [
    'a whole call without its closing mark',
    'hermes',
    '<tool_call>\n{"name":"ls","arguments":{}}\n',
    [call('ls', '{}')],
  ],
  ['half a mark at the end', 'hermes', 'a <tool_ca', [content('a <tool_ca')]],
  [
    'calls of a request without tools',
    null,
    '<tool_call>{"name":"ls"}</tool_call>',
    [content('<tool_call>{"name":"ls"}</tool_call>')],
  ],
  [
    'parameters by the type in the schema',
    'qwen3Coder',
    '<tool_call>\n<function=read>\n<parameter=path>\n5\n</parameter>\n<parameter=lines>\n5\n</parameter>\n<parameter=more>\n[1]\n</parameter>\n</function>\n</tool_call>',
    [call('read', '{"path":"5","lines":5,"more":[1]}')],
  ],
  [
    'values as they are written, and as text where the schema may mean text',
    'qwen3Coder',
    '<tool_call><function=read><parameter=lines>12345678901234567890</parameter><parameter=note>5</parameter><parameter=path>"a"</parameter></function><function=read><parameter=note>null</parameter></function></tool_call>',
    [
      call('read', '{"lines":12345678901234567890,"note":"5","path":"\\"a\\""}'),
      call('read', '{"note":null}', { index: 1 }),
    ],
  ],
  [
    'the last of two values of one parameter',
    'qwen3Coder',
    '<tool_call><function=ls><parameter=a>1</parameter><parameter=a>2</parameter></function></tool_call>',
    [call('ls', '{"a":2}')],
  ],
  [
    'a value of several lines',
    'qwen3Coder',
    'ok\n\n<tool_call>\n<function=read>\n<parameter=path>\n<a>\n\n  b\n</parameter>\n</function>\n</tool_call>',
    [content('ok'), call('read', '{"path":"<a>\\n\\n  b"}')],
  ],
  [
    'a function without parameters',
    'qwen3Coder',
    '<tool_call>\n<function=ls>\n</function>\n</tool_call>',
    [call('ls', '{}')],
  ],
  [
    'a parameter that does not end',
    'qwen3Coder',
    '<tool_call><function=ls><parameter=a>\nb</function></tool_call>',
    [content('<tool_call><function=ls><parameter=a>\nb</function></tool_call>')],
  ],
  [
    'a call behind the tag',
    'llama3Json',
    '<|python_tag|>{"name": "ls", "parameters": {"a": "x;y"}}',
    [call('ls', '{"a": "x;y"}')],
  ],
  [
    'two calls without a tag',
    'llama3Json',
    '{"name": "ls", "parameters": {}}; {"name": "read", "parameters": {"path": "a"}}',
    [call('ls', '{}'), call('read', '{"path": "a"}', { index: 1 })],
  ],
  ['a call and half a call', 'llama3Json', '{"name": "ls"}; {"name"', [content('{"name": "ls"}; {"name"')]],
  ['JSON that is no call', 'llama3Json', '{"answer": 42}', [content('{"answer": 42}')]],
  [
    'a call of a tool that nobody offered',
    'llama3Json',
    ' {"name": "rm", "parameters": {}}',
    [content(' {"name": "rm", "parameters": {}}')],
  ],
  [
    'fenced arguments',
    'deepseek',
    `Sure.${DEEPSEEK('<｜tool▁call▁begin｜>function<｜tool▁sep｜>ls\n```json\n{"a": 1}\n```<｜tool▁call▁end｜>', '<｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{}\n```<｜tool▁call▁end｜>')}`,
    [content('Sure.'), call('ls', '{"a": 1}'), call('read', '{}', { index: 1 })],
  ],
  [
    'arguments behind the name',
    'deepseek',
    DEEPSEEK('<｜tool▁call▁begin｜>ls<｜tool▁sep｜>{"a":1}<｜tool▁call▁end｜>'),
    [call('ls', '{"a":1}')],
  ],
  [
    'a call of no tool',
    'deepseek',
    DEEPSEEK('<｜tool▁call▁begin｜> <｜tool▁sep｜>{"a":1}<｜tool▁call▁end｜>'),
    [content(DEEPSEEK('<｜tool▁call▁begin｜> <｜tool▁sep｜>{"a":1}<｜tool▁call▁end｜>'))],
  ],
  [
    'one bad call among good ones',
    'deepseek',
    DEEPSEEK('<｜tool▁call▁begin｜>ls<｜tool▁sep｜>{}<｜tool▁call▁end｜>', 'x'),
    [content(DEEPSEEK('<｜tool▁call▁begin｜>ls<｜tool▁sep｜>{}<｜tool▁call▁end｜>', 'x'))],
  ],
  [
    'ids of the model',
    'kimi',
    `ok${KIMI('<|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>', '<|tool_call_begin|>functions.read:1<|tool_call_argument_begin|>{}<|tool_call_end|>')}`,
    [
      content('ok'),
      call('ls', '{"a":1}', { id: 'functions.ls:0' }),
      call('read', '{}', { index: 1, id: 'functions.read:1' }),
    ],
  ],
  [
    'a call of no tool, by an id alone',
    'kimi',
    KIMI('<|tool_call_begin|>:0<|tool_call_argument_begin|>{}<|tool_call_end|>'),
    [content(KIMI('<|tool_call_begin|>:0<|tool_call_argument_begin|>{}<|tool_call_end|>'))],
  ],
  [
    'a call of a tool without a name',
    'hermes',
    '<tool_call>{"name":"","arguments":{}}</tool_call>',
    [content('<tool_call>{"name":"","arguments":{}}</tool_call>')],
  ],
  ['an empty group', 'kimi', KIMI(), [content(KIMI())]],
];

/** Pieces of which odd answers are made: marks and halves of them, line ends, calls that are well formed and not. */
const shard = fc.constantFrom(
  ...[
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '<|python_tag|>',
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
  ],
  ...[
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '<|tool_call_begin|>',
    '<|tool_call_argument_begin|>',
    '<|tool_call_end|>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁sep｜>',
    '<｜tool▁call▁end｜>',
    '<function=ls>',
    '</function>',
    '<parameter=a>',
    '</parameter>',
  ],
  ...[
    '{"name":"ls","arguments":{"a":[1,"}"]}}',
    '{"name": "ls", "parameters": {}}',
    '{"a":1}',
    '<tool',
    'call>',
    '<',
    '{',
    ';',
  ],
  ...['\n', '\n\n', ' ', 'a', 'B c', '“ü”', '👩‍🚀', '\u0301'],
);
const answer = fc.array(shard, { maxLength: 14 }).map((shards) => shards.join(''));

/** One well-formed call of the tool `ls` with these arguments, as each dialect writes it. */
const CALLS: Readonly<Record<ToolDialectName, (args: string) => string>> = {
  hermes: (args) => `<tool_call>\n{"name": "ls", "arguments": ${args}}\n</tool_call>`,
  qwen3Coder: (args) =>
    `<tool_call>\n<function=ls>\n<parameter=a>\n${(JSON.parse(args) as { a: string }).a}\n</parameter>\n</function>\n</tool_call>`,
  llama3Json: (args) => `<|python_tag|>{"name": "ls", "parameters": ${args}}`,
  deepseek: (args) => DEEPSEEK(`<｜tool▁call▁begin｜>ls<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`),
  kimi: (args) => KIMI(`<|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>${args}<|tool_call_end|>`),
};

/** Text that no mark begins in, with an end that no line end hides in. */
const prose = fc.constantFrom('a', 'See “this”.', '你好 👩‍🚀', 'e\u0301 < b', '{"a": 1} <tool', 'x\n\ny', '</thin');

/** A text cut at random places. */
const cutUp = (text: string, cuts: readonly number[]): string[] => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((end, i) => text.slice(places[i - 1] ?? 0, end));
};

const anyForm = fc.record({
  tools: fc.constantFrom(...(Object.keys(TOOL_DIALECTS) as ToolDialectName[]), null),
  thinks: fc.boolean(),
  startsInside: fc.boolean(),
});

const spellOut = (steps: readonly AnswerStep[]): string =>
  steps.map((step) => (step.kind === 'call' ? '' : step.text)).join('');

const MARKS = /<\/?think>|\n/g;

describe('AnswerParser', () => {
  it.each(WHOLE)('reads %s', (_, dialect, text, steps) => {
    expect(parse([text], form(dialect))).toEqual(steps);
  });

  it.each(WHOLE)('reads %s character by character', (_, dialect, text, steps) => {
    expect(parse(Array.from(text), form(dialect))).toEqual(steps);
  });

  it('goes on with a thought that the prompt has opened, also where the model opens it again', () => {
    const inside = form('hermes', { startsInside: true });
    expect(parse(['Hm.\n</think>\n\nYes.'], inside)).toEqual([reasoning('Hm.'), content('Yes.')]);
    expect(parse(['<think>\nHm.</think>Yes.'], inside)).toEqual([reasoning('Hm.'), content('Yes.')]);
  });

  it('shows text at once, up to what may become a mark', () => {
    const parser = new AnswerParser(form('hermes'));
    expect(parser.push('a b')).toEqual([content('a b')]);
    expect(parser.push(' c\n<to')).toEqual([content(' c')]);
    expect(parser.push('ol')).toEqual([]);
    expect(parser.push('box')).toEqual([content('\n<toolbox')]);
  });

  it('parses every cut of an answer as it parses the whole', () => {
    fc.assert(
      fc.property(
        answer,
        fc.array(fc.nat(), { maxLength: 12 }),
        anyForm,
        (text, cuts, { tools, thinks, startsInside }) => {
          const answerForm = form(tools, { reasoning: thinks ? THOUGHT_MARKS : null, startsInside });
          expect(parse(cutUp(text, cuts), answerForm)).toEqual(parse([text], answerForm));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('loses no character but marks and the line ends beside them', () => {
    fc.assert(
      fc.property(answer, anyForm, (text, { tools, startsInside }) => {
        const steps = parse([text], form(tools, { startsInside }));
        if (steps.some(({ kind }) => kind === 'call')) return;
        expect(spellOut(steps).replace(MARKS, '')).toBe(text.replace(MARKS, ''));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(Object.keys(CALLS) as ToolDialectName[])(
    'finds each %s call among text, wherever it is cut, and loses none of the text',
    (name) => {
      const words = fc.record({ text: prose, isCall: fc.constant(false) });
      const calls = fc.record({ text: prose, isCall: fc.constant(true) });
      // Llama 3's calls go on to the end of the answer.
      const items =
        name === 'llama3Json'
          ? fc.tuple(words, calls)
          : fc.array(fc.tuple(words, calls), { maxLength: 4 }).map((pairs) => pairs.flat());
      fc.assert(
        fc.property(fc.option(prose), items, fc.array(fc.nat(), { maxLength: 12 }), (thought, parts, cuts) => {
          const args = (text: string): string => JSON.stringify({ a: text });
          const written = parts.map(({ text, isCall }) => (isCall ? `\n${CALLS[name](args(text))}\n` : text)).join('');
          const text = `${thought === null ? '' : `<think>\n${thought}\n</think>\n\n`}${written}`;
          let index = 0;
          const expected = [
            ...(thought === null ? [] : [reasoning(thought)]),
            ...parts.map((part) =>
              part.isCall
                ? call('ls', args(part.text), { index: index++, ...(name === 'kimi' ? { id: 'functions.ls:0' } : {}) })
                : content(part.text),
            ),
          ];
          const pieces = cutUp(text, cuts);
          expect(parse(pieces, form(name))).toEqual(expected);
          expect(parse(text.split(''), form(name))).toEqual(expected);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('changes nothing where nothing is to be parsed', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
        expect(spellOut(parse(cutUp(text, cuts), form(null, { reasoning: null })))).toBe(text);
      }),
    );
  });

  const LONG = JSON.stringify({ a: 'x'.repeat(400_000) });

  it.each([
    ['with marks', 'hermes', `<tool_call>{"name":"ls","arguments":${LONG}}</tool_call>`],
    ['without a mark', 'llama3Json', `{"name":"ls","parameters":${LONG}}`],
  ] as const)(
    'takes a time that grows with a call %s, not with its square',
    async (_what, dialect, text) => {
      const parser = new AnswerParser(form(dialect));
      const steps: AnswerStep[] = [];
      for (let at = 0; at < text.length; at += 1) {
        steps.push(...parser.push(text.charAt(at)));
        // The test's time limit looks in between: half a second where it grows with the call, a minute with its square.
        if (at % 1000 === 0) await setImmediate();
      }
      expect(merge([...steps, ...parser.end()])).toEqual([call('ls', LONG)]);
    },
    20_000,
  );
});

describe('findToolDialect', () => {
  it.each([
    ['the engine names it', '', 'qwen25', 'hermes'],
    ['the engine names one that only its template shows', '<tool_call>', 'unheard_of', 'hermes'],
    ['Qwen3-Coder, whose template holds the mark of Hermes too', '<tool_call><function=', null, 'qwen3Coder'],
    ['nothing shows', 'x', null, null],
  ])('finds the dialect where %s', (_, template, parser, dialect) => {
    expect(findToolDialect(template, parser)).toBe(dialect);
  });
});

describe('endsInsideThought', () => {
  it.each([
    ['<|im_start|>assistant\n<think>\n', true],
    ['<|im_start|>assistant\n<think>\n\n</think>\n\n', false],
    ['user: what is <think>?\nassistant:\n', false],
    ['assistant:\n', false],
  ])('%j: %s', (prompt, inside) => {
    expect(endsInsideThought(prompt)).toBe(inside);
  });
});
