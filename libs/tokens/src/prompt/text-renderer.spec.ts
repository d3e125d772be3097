import fc from 'fast-check';
import type { ChatMessage } from '@app/chat';
import { readQwen3 } from '../fixtures/qwen3';
import { createTokenizer } from '../model/hugging-face';
import { ChatTemplate, readyForTemplate, type PromptSource } from './chat-template';
import { Vocabulary } from '../model/vocabulary';
import { partsHere } from './part-maker';
import { partsOf, type Grouping } from './part-request';
import { PromptRenderer } from './prompt-renderer';
import { TextRenderer } from './text-renderer';

const qwen3 = new ChatTemplate(readQwen3().template, { eos_token: '<|im_end|>' });

/** Puts the tools before the first user's words, as Llama 3 does, and trims. */
const LIKE_LLAMA = new ChatTemplate(
  '{{ bos_token }}{% for m in messages %}<|h|>{{ m.role }}<|/h|>\n\n' +
    '{% if m.role == "user" and loop.first and tools %}{{ tools | tojson }}\n\n{% endif %}' +
    '{{ m.content | trim }}{% for c in m.tool_calls or [] %}{{ c.function | tojson }}{% endfor %}<|eot|>{% endfor %}' +
    '{% if add_generation_prompt %}<|h|>assistant<|/h|>\n\n{% endif %}',
  { bos_token: { content: '<|begin|>' } },
);

/** Says of a tool's results in a loop how many answers there have been: no step stands by itself. */
const WITHOUT_LOOPS = new ChatTemplate(
  '{% set seen = namespace(n=0) %}{% for m in messages %}{% if m.role == "user" %}{% set seen.n = 0 %}{% endif %}' +
    '{% if m.role == "assistant" %}{% set seen.n = seen.n + 1 %}{% endif %}<|h|>{{ m.role }} {{ seen.n }}<|/h|>' +
    '{% if loop.first and tools %}{{ tools | tojson }}{% endif %}{{ m.content }}<|eot|>{% endfor %}' +
    '{% if add_generation_prompt %}<|h|>assistant<|/h|>{% endif %}',
  {},
);

/** Numbers its messages: no group can be rendered apart from the others. */
const COUNTING = new ChatTemplate(
  '{% for m in messages %}[{{ loop.index }} {{ m.role }}] {{ m.content }}{% endfor %}{% if add_generation_prompt %}[a]{% endif %}',
  {},
);

const words = fc.string({ unit: 'grapheme', maxLength: 20 });
const call = fc.record({ path: words }).map((args) => ({
  id: 'call1',
  type: 'function',
  function: { name: 'read', arguments: JSON.stringify(args) },
}));
const answer: fc.Arbitrary<ChatMessage> = fc.record(
  { role: fc.constant('assistant'), content: words, reasoning_content: words },
  { requiredKeys: ['role', 'content'] },
);
const toolTurn: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(fc.array(call, { minLength: 1, maxLength: 2 }), fc.array(words, { minLength: 1, maxLength: 2 }))
  .map(([calls, results]) => [
    { role: 'assistant', content: null, tool_calls: calls },
    ...results.map((content) => ({ role: 'tool', tool_call_id: 'call1', content })),
  ]);
const user: fc.Arbitrary<ChatMessage> = fc.oneof(
  words.map((content) => ({ role: 'user', content })),
  words.map((text) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'text', text: 'more' },
    ],
  })),
);
const exchange = fc
  .tuple(
    user,
    fc.array(toolTurn, { maxLength: 2 }),
    answer,
    fc.option(words.map((content) => ({ role: 'system', content }))),
  )
  .map(([asked, loop, said, note]) => [...(note === null ? [] : [note]), asked, ...loop.flat(), said]);
const conversation: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(
    fc.option(fc.constantFrom('system', 'developer')),
    fc.array(exchange, { maxLength: 5 }),
    user,
    fc.array(toolTurn, { maxLength: 2 }),
  )
  .map(([role, exchanges, asked, loop]) => [
    ...(role === null ? [] : [{ role, content: 'Be brief.' }]),
    ...exchanges.flat(),
    asked,
    ...loop.flat(),
  ]);
const source: fc.Arbitrary<PromptSource> = fc.record({
  messages: conversation,
  tools: fc.constantFrom([], [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }]),
  kwargs: fc.constantFrom({}, { enable_thinking: false }),
});

const renderWhole = (template: ChatTemplate, given: PromptSource): string =>
  template.render(readyForTemplate(given.messages), given, true);

const BORDERS = ['<|im_start|>', '<|im_end|>', '<think>', '</think>', '<|h|>', '<|/h|>', '<|eot|>'];

const renderParts = (renderer: TextRenderer, given: PromptSource): string => {
  const parts = partsOf(given, renderer.grouping).map((part) => renderer.render(part));
  return parts.includes(null) ? (renderer.render(partsOf(given, null)[0]!) ?? '') : parts.join('');
};

describe('TextRenderer', () => {
  it.each<[string, ChatTemplate, Grouping | null]>([
    ['Qwen3’s template', qwen3, { isFirstApart: true, hasSteps: true }],
    ['one that puts the tools to the first user', LIKE_LLAMA, { isFirstApart: false, hasSteps: true }],
    ['one that knows no tool loops', WITHOUT_LOOPS, { isFirstApart: false, hasSteps: false }],
    ['one that numbers its messages', COUNTING, null],
  ])('renders %s part by part as it renders it whole, where it can', (_, template, grouping) => {
    const renderer = new TextRenderer(template, BORDERS);
    expect(renderer.grouping).toEqual(grouping);
    fc.assert(
      fc.property(source, (given) => {
        expect(renderParts(renderer, given)).toBe(renderWhole(template, given));
      }),
      { numRuns: 300 },
    );
  });

  it('begins each part but the first with an added token', () => {
    const renderer = new TextRenderer(qwen3, BORDERS);
    fc.assert(
      fc.property(source, (given) => {
        const [, ...parts] = partsOf(given, renderer.grouping).map((part) => renderer.render(part));
        for (const part of parts) expect(part).toMatch(/^<\|im_start\|>/);
      }),
      { numRuns: 100 },
    );
  });

  it('renders whole where no added token could tell the parts apart', () => {
    expect(new TextRenderer(qwen3, []).grouping).toBeNull();
  });

  it('renders what a template wants to see: values for arguments, text for parts and null, system for developer', () => {
    const messages = [
      { role: 'developer', content: 'Rules.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'ls', arguments: '{"a":[1,2]}' } }],
      },
      { role: 'tool', content: 'c' },
    ];
    const given = { messages, tools: [], kwargs: { enable_thinking: false } };
    expect(renderParts(new TextRenderer(qwen3, BORDERS), given)).toBe(
      '<|im_start|>system\nRules.<|im_end|>\n<|im_start|>user\na b<|im_end|>\n' +
        '<|im_start|>assistant\n<tool_call>\n{"name": "ls", "arguments": {"a": [1, 2]}}\n</tool_call><|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\nc\n</tool_response><|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    );
  });
});

describe('PromptRenderer', () => {
  it('encodes part by part as the tokenizer encodes the whole prompt', async () => {
    const model = readQwen3();
    const tokenizer = createTokenizer(model);
    const renderer = new PromptRenderer(new Vocabulary(model), partsHere(model));
    await fc.assert(
      fc.asyncProperty(source, async (given) => {
        const whole = tokenizer.encode(renderWhole(qwen3, given), { add_special_tokens: false }).ids;
        for (const turnId of ['one', 'again']) {
          const { ids, json } = await renderer.begin(given)({ turnId, parent: null });
          expect(Array.from(ids)).toEqual(whole);
          expect(JSON.parse(Buffer.from(json).toString())).toEqual(whole);
        }
      }),
      { numRuns: 100 },
    );
  });
});
