import { answerIds, judgeAnswer, judgeNextState, Playbook, readableAnswer } from './answers';
import type { SeenRequest } from './options';
import { decode, SPECIAL } from './tokenizer';

const request = (lastText: string, role: 'policy' | 'judge' = 'policy'): SeenRequest => ({
  method: 'POST',
  path: '/v1/chat/completions',
  headers: {},
  body: {},
  role,
  isProbe: false,
  lastText,
  state: 'open',
});
const judging = (nextState: string): Record<string, unknown> => ({
  messages: [{ role: 'user', content: `Judge.\n<next_state role="user">${nextState}</next_state>\nBox it.` }],
});

describe('Playbook', () => {
  it('uses each queued answer once, the first that fits', () => {
    const book = new Playbook();
    book.add([{ when: 'weather', content: 'a' }, { content: 'b' }, { to: 'judge', content: 'c' }]);
    expect(book.take(request('hello'))?.content).toBe('b');
    expect(book.take(request('hello'))).toBeUndefined();
    expect(book.take(request('the weather?'))?.content).toBe('a');
    expect(book.waiting).toBe(1);
    expect(book.take(request('any', 'judge'))?.content).toBe('c');
  });

  it('asks standing rules when the queue has nothing', () => {
    const book = new Playbook();
    book.add([({ lastText }) => (lastText === 'x' ? { content: 'rule' } : undefined), { content: 'queued' }]);
    expect(book.take(request('x'))?.content).toBe('queued');
    expect(book.take(request('x'))?.content).toBe('rule');
    expect(book.take(request('x'))?.content).toBe('rule');
    expect(book.take(request('x', 'judge'))).toBeUndefined();
  });
});

describe('readableAnswer', () => {
  const carrier = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';

  it('speaks about what the person wrote, not about what the client added', () => {
    const text = '[Mon 2026-11-30 06:31 UTC] hi there\n\nRuntime: agent=main | sessionId=t1';
    const messages = [
      { role: 'user', content: text },
      { role: 'user', content: [{ type: 'text', text: carrier }] },
    ];
    expect(readableAnswer({ messages }).content).toBe('I am a stand-in for a model. You said: “hi there”.');
  });

  it('calls the tool that is demanded, with arguments that fit', () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    const messages = [{ role: 'user', content: 'x' }];
    expect(readableAnswer({ messages, tools, tool_choice: 'required' }).toolCalls).toEqual([
      { name: 'f', arguments: { n: 1 } },
    ]);
  });
});

describe('judge of the engine double', () => {
  it.each([
    ['Thanks, that works!', 1],
    ['Perfect.', 1],
    ['No, that is wrong', -1],
    ['Error: file not found', -1],
    ['It failed, but thanks', -1],
    ['And what about tomorrow?', 0],
    ['nothing notable, goodness', 0],
  ])('scores %j as %d', (nextState, score) => {
    expect(judgeNextState(judging(nextState)).score).toBe(score);
    expect(judgeAnswer(judging(nextState)).content).toMatch(new RegExp(`^[^\\\\]+ \\\\boxed\\{${score}\\}$`));
  });

  it('reads the next state only, not the rubric around it', () => {
    const body = { messages: [{ role: 'user', content: 'good=1 wrong=-1 <next_state role="tool">ok</next_state>' }] };
    expect(judgeNextState(body).score).toBe(0);
  });

  it('answers a JSON schema with JSON', () => {
    const body = { ...judging('great'), response_format: { type: 'json_schema' } };
    expect(JSON.parse(judgeAnswer(body).content!)).toMatchObject({ score: 1 });
  });
});

describe('answerIds', () => {
  it('writes reasoning, content and calls in the form of Qwen', () => {
    const ids = answerIds({ reasoning: 'r', content: 'c', toolCalls: [{ name: 'f', arguments: { a: 1 } }] });
    expect(ids.at(-1)).toBe(SPECIAL.imEnd);
    expect(decode(ids)).toBe(
      '<think>\nr\n</think>\n\nc\n<tool_call>\n{"name": "f", "arguments": {"a":1}}\n</tool_call><|im_end|>',
    );
  });
});
