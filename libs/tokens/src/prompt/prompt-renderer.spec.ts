import type { ChatMessage } from '@app/chat';
import { readQwen3 } from '../fixtures/qwen3';
import { createTokenizer } from '../model/hugging-face';
import { PromptRenderer, type Prompt } from './prompt-renderer';

const model = readQwen3();
const tokenizer = createTokenizer(model);
const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
const END = encode('<|im_end|>');

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string, more: object = {}): ChatMessage => ({ role: 'assistant', content, ...more });

describe('PromptRenderer', () => {
  it('begins with the tokens of the turn before where nothing has changed, forks where the template leaves something out', () => {
    const call = '<tool_call>\n{"name": "exec", "arguments": {"command": "ls"}}\n</tool_call>';
    const calls = [{ id: 'c', type: 'function', function: { name: 'exec', arguments: '{"command":"ls"}' } }];
    const loop = [
      user('hi'),
      assistant('', { tool_calls: calls }),
      { role: 'tool', tool_call_id: 'c', content: 'a b' },
    ];
    // The template shows an empty thought to a model that shall not think, and not in the history.
    const drifts = [{}, { enable_thinking: false }].map((kwargs) => {
      const renderer = new PromptRenderer(model);
      const tools = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object' } } }];
      const first = renderer.render({ turnId: 'one', parent: null, messages: [user('hi')], tools, kwargs });
      expect(JSON.parse(first.json)).toEqual(Array.from(first.ids));
      renderer.remember('one', 'chain', [...encode(call), ...END]);
      return [first.drift, renderer.render({ turnId: 'two', parent: 'chain', messages: loop, tools, kwargs }).drift];
    });
    expect(drifts).toEqual([
      ['new', 'clean'],
      ['new', 'forked'],
    ]);
  });

  it('puts in the engine’s own ids where it wrote a text in other tokens', () => {
    const renderer = new PromptRenderer(model);
    const render = (messages: ChatMessage[], parent: string | null, turnId: string): Prompt =>
      renderer.render({ turnId, parent, messages, tools: [], kwargs: {} });
    const letters = Array.from('hello there').flatMap(encode);
    expect(letters).not.toEqual(encode('hello there'));

    const first = render([user('hi')], null, 'one');
    renderer.remember('one', 'chain1', [...letters, ...END]);
    const history = [user('hi'), assistant('hello there'), user('and?')];
    const second = render(history, 'chain1', 'two');
    expect(second.drift).toBe('realigned');
    expect(Array.from(second.ids)).toEqual([
      ...first.ids,
      ...letters,
      ...END,
      ...encode('\n<|im_start|>user\nand?<|im_end|>\n<|im_start|>assistant\n'),
    ]);

    // Two turns later they are still the engine's own, though the prompt has forked.
    renderer.remember('two', 'chain2', [...encode('More.'), ...END]);
    const forked = [user('changed'), ...history.slice(1), assistant('More.'), user('so?')];
    const third = render(forked, 'chain2', 'three');
    expect(third.drift).toBe('forked');
    expect(Array.from(third.ids).join(',')).toContain(letters.join(','));

    // Another conversation does not get them.
    const other = render([user('hi'), assistant('hello there'), user('and?')], null, 'four');
    expect(Array.from(other.ids).join(',')).not.toContain(letters.join(','));
  });

  it('keeps the ids of an answer that is no text', () => {
    const renderer = new PromptRenderer(model);
    const [half = 0] = encode('𓀀');
    renderer.render({ turnId: 'one', parent: null, messages: [user('hi')], tools: [], kwargs: {} });
    renderer.remember('one', 'chain', [half, ...END]);
    const messages = [user('hi'), assistant('\ufffd'), user('what?')];
    const next = renderer.render({ turnId: 'two', parent: 'chain', messages, tools: [], kwargs: {} });
    expect([next.drift, Array.from(next.ids).includes(half)]).toEqual(['realigned', true]);
  });

  it('goes on with an answer that was cut off', () => {
    const renderer = new PromptRenderer(model);
    renderer.render({ turnId: 'one', parent: null, messages: [user('hi')], tools: [], kwargs: {} });
    renderer.remember('one', 'chain', encode('It is'));
    const messages = [user('hi'), assistant('It is'), user('go on')];
    const next = renderer.render({ turnId: 'two', parent: 'chain', messages, tools: [], kwargs: {} });
    expect(next.drift).toBe('clean');
  });

  it('says where an answer begins inside a thought, and knows nothing of turns that were forgotten', () => {
    const renderer = new PromptRenderer({ ...model, template: `${model.template}{{ '<think>\\n' }}` });
    const prompt = renderer.render({ turnId: 'one', parent: null, messages: [user('hi')], tools: [], kwargs: {} });
    expect(prompt.insideThought).toBe(true);
    renderer.forget('one');
    renderer.remember('one', 'chain', END);
    const next = renderer.render({ turnId: 'two', parent: 'chain', messages: [user('hi')], tools: [], kwargs: {} });
    expect(next.drift).toBe('new');
  });
});
