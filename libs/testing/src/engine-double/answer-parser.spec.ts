import fc from 'fast-check';
import { AnswerParser, type AnswerDelta } from './answer-parser';

interface Parsed {
  reasoning: string;
  content: string;
  calls: { name: string; arguments: string }[];
}

function parse(pieces: readonly string[], options = { reasoning: true, tools: true }): Parsed {
  const parser = new AnswerParser(options);
  const parsed: Parsed = { reasoning: '', content: '', calls: [] };
  const add = (delta: AnswerDelta): void => {
    if (delta.kind !== 'tool') parsed[delta.kind] += delta.text;
    else if (delta.name !== undefined) parsed.calls[delta.index] = { name: delta.name, arguments: delta.arguments };
    else parsed.calls[delta.index]!.arguments += delta.arguments;
  };
  for (const piece of pieces) parser.push(piece).forEach(add);
  parser.end().forEach(add);
  return parsed;
}

const full =
  '<think>\nlet me\nsee\n</think>\n\nI look.\n\n' +
  '<tool_call>\n{"name": "read", "arguments": {"path": "a {b}\\n", "n": {}}}\n</tool_call>\n' +
  '<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>';

describe('AnswerParser', () => {
  it('takes reasoning, content and parallel calls apart, wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: full.length })), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), full.length];
        const pieces = at.slice(1).map((end, i) => full.slice(at[i], end));
        expect(parse(pieces)).toEqual({
          reasoning: 'let me\nsee',
          content: 'I look.',
          calls: [
            { name: 'read', arguments: '{"path": "a {b}\\n", "n": {}}' },
            { name: 'ls', arguments: '{}' },
          ],
        });
      }),
    );
  });

  it('streams reasoning and content as they come', () => {
    const parser = new AnswerParser({ reasoning: true, tools: true });
    expect(parser.push('<think>abc')).toEqual([{ kind: 'reasoning', text: 'abc' }]);
    expect(parser.push('</think>def')).toEqual([{ kind: 'content', text: 'def' }]);
  });

  it('keeps plain text as it is, line ends included', () => {
    expect(parse(['\n a <b> \n', '\n']).content).toBe('\n a <b> \n\n');
    expect(parse(['1 < 2 <thi']).content).toBe('1 < 2 <thi');
  });

  it('leaves the tags in when nothing is to be taken out', () => {
    expect(parse([full], { reasoning: false, tools: false }).content).toBe(full);
  });

  it('shows a call that is no call as text, and an unfinished one as far as it went', () => {
    expect(parse(['<tool_call>nothing</tool_call>']).content).toBe('<tool_call>nothing</tool_call>');
    expect(parse(['<tool_call>{"na']).content).toBe('<tool_call>{"na');
    expect(parse(['<tool_call>{"name": "ls", "arguments": {"a": 1']).calls).toEqual([
      { name: 'ls', arguments: '{"a": 1' },
    ]);
  });

  it('gives no content when the answer is cut off inside its reasoning', () => {
    expect(parse(['<think>\nhm, so'])).toEqual({ reasoning: 'hm, so', content: '', calls: [] });
  });
});
