import fc from 'fast-check';
import type { ChatMessage } from '@app/chat';
import { readQwen3 } from '../fixtures/qwen3';
import { createTokenizer } from '../model/hugging-face';
import { ChatTemplate, readyForTemplate, type PromptSource } from './chat-template';
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

describe('TextRenderer', () => {
  it.each([
    ['Qwen3’s template', qwen3, true],
    ['one that puts the tools to the first user', LIKE_LLAMA, true],
    ['one that numbers its messages', COUNTING, false],
  ])('renders %s group by group as it renders it whole, where it can', (_, template, isGrouped) => {
    const renderer = new TextRenderer(template);
    expect(renderer.isGrouped).toBe(isGrouped);
    fc.assert(
      fc.property(source, (given) => {
        const whole = renderWhole(template, given);
        expect(renderer.render(given).join('')).toBe(whole);
        expect(renderer.render(given).join('')).toBe(whole);
      }),
      { numRuns: 300 },
    );
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
    const parts = new TextRenderer(qwen3).render({ messages, tools: [], kwargs: { enable_thinking: false } });
    expect(parts.join('')).toBe(
      '<|im_start|>system\nRules.<|im_end|>\n<|im_start|>user\na b<|im_end|>\n' +
        '<|im_start|>assistant\n<tool_call>\n{"name": "ls", "arguments": {"a": [1, 2]}}\n</tool_call><|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\nc\n</tool_response><|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    );
  });
});

describe('PromptRenderer', () => {
  it('encodes part by part as the tokenizer encodes the whole prompt', () => {
    const model = readQwen3();
    const tokenizer = createTokenizer(model);
    const renderer = new PromptRenderer(model);
    fc.assert(
      fc.property(source, (given) => {
        const whole = tokenizer.encode(renderWhole(qwen3, given), { add_special_tokens: false }).ids;
        for (const turnId of ['one', 'again']) {
          const { ids, json } = renderer.render({ turnId, parent: null, ...given });
          expect(Array.from(ids)).toEqual(whole);
          expect(JSON.parse(json)).toEqual(whole);
        }
      }),
      { numRuns: 100 },
    );
  });
});
