import fc from 'fast-check';

/** JSON texts that no schema expects: odd numbers, odd strings, odd nesting, keys that reach for prototypes. */
export const ODD_TEXTS: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '1e-999',
  '9223372036854775808',
  '12345678901234567890123',
  '""',
  '" "',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u202e\u0301\u200b"',
  '"__proto__"',
  '[]',
  '[null]',
  '[[[]]]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"hasOwnProperty":2,"length":-1}',
  '{"a":1,"a":2}',
];

/** Any JSON value as text, with the odd ones mixed in. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...ODD_TEXTS),
    fc.string({ unit: 'binary', maxLength: 20 }).map((value) => JSON.stringify(value)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.array(tie('text'), { maxLength: 4 }).map((texts) => `[${texts.join(',')}]`),
    fc
      .array(
        fc.tuple(fc.constantFrom('role', 'content', 'type', 'text', 'id', '__proto__', 'constructor', ''), tie('text')),
        {
          maxLength: 4,
        },
      )
      .map((pairs) => `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`),
  ),
})).text;

const ROLES = [
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
  'latest_reminder',
  'martian',
  '',
  '__proto__',
];

/** Texts that mean something to the gateway's reading of a conversation. */
const TELLING = [
  '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
  '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nunclosed',
  'hi\n\nRuntime: agent=main | session=agent:main:x | sessionId=a.b*> | host=h',
  '[OpenClaw heartbeat poll]',
  '[Queued user message from a previous active turn; preserved as context only. Continue with the active prompt below.]\nold\n\nContinue the current task from the existing transcript, now',
  '<think>deep</think> said',
  'You are a context summarization assistant.',
];

const textPart = fc.oneof(
  fc.constantFrom(...TELLING).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => JSON.stringify(text)),
);

const content = fc.oneof(
  textPart,
  fc
    .array(
      fc.oneof(
        textPart.map((text) => `{"type":"text","text":${text}}`),
        jsonText,
      ),
      { maxLength: 3 },
    )
    .map((parts) => `[${parts.join(',')}]`),
  jsonText,
);

const toolCalls = fc.oneof(
  jsonText,
  fc
    .array(
      fc
        .tuple(jsonText, jsonText)
        .map(([id, args]) => `{"id":${id},"type":"function","function":{"name":"f","arguments":${args}}}`),
      { maxLength: 2 },
    )
    .map((calls) => `[${calls.join(',')}]`),
);

/** A message: mostly with a role, its other members of any shape. */
export const messageText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record(
        {
          role: fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom(...ROLES).map((role) => JSON.stringify(role)) },
            { weight: 1, arbitrary: jsonText },
          ),
          content,
          tool_calls: toolCalls,
          tool_call_id: jsonText,
          reasoning_content: jsonText,
          name: jsonText,
        },
        { requiredKeys: ['role'] },
      )
      .map(
        (members) =>
          `{${Object.entries(members)
            .map(([key, text]) => `"${key}":${text}`)
            .join(',')}}`,
      ),
  },
  { weight: 1, arbitrary: jsonText },
);

/** Any id a client might think of. */
export const sessionId: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    '*',
    '>',
    'a.*.b',
    'rl.>',
    '.',
    '..',
    'a.b.c',
    '$JS.API.>',
    ' ',
    'a\r\nb: c',
    '\u0000',
    '__proto__',
    'constructor',
    '%2e%2e',
    '../../etc',
    'x'.repeat(512),
  ),
);
