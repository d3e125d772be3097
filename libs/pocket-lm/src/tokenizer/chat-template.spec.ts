import { Template } from '@huggingface/jinja';
import { CHAT_TEMPLATE, SHOWN_CHARACTERS } from './chat-template';

const template = new Template(CHAT_TEMPLATE);
const render = (messages: object[], open = true): string => template.render({ messages, add_generation_prompt: open });
const user = (content: string): object => ({ role: 'user', content });
const assistant = (content: string): object => ({ role: 'assistant', content });

describe('chat template', () => {
  it('marks who speaks, and where an answer ends', () => {
    expect(render([user('Hi'), assistant('Hello.'), user('Bye')])).toBe(
      '<|user|>Hi<|assistant|>Hello.<|end|><|user|>Bye<|assistant|>',
    );
    expect(render([user('Hi'), assistant('Hello.')], false)).toBe('<|user|>Hi<|assistant|>Hello.<|end|>');
  });

  it('leaves out system text, tools, calls and their results', () => {
    const call = { role: 'assistant', content: '', tool_calls: [{ function: { name: 'look', arguments: {} } }] };
    const result = { role: 'tool', content: 'seen', tool_call_id: 'a' };
    const system = { role: 'system', content: 'x'.repeat(50_000) };
    expect(render([system, user('Look'), call, result])).toBe('<|user|>Look<|assistant|>');
    expect(template.render({ messages: [user('Hi')], tools: [{ type: 'function' }] })).toBe('<|user|>Hi');
  });

  it('shows the three newest messages', () => {
    expect(render([user('1'), assistant('2'), user('3'), assistant('4'), user('5')])).toBe(
      '<|user|>3<|assistant|>4<|end|><|user|>5<|assistant|>',
    );
  });

  it('shows only whole older messages that fit, and nothing older than one that does not', () => {
    const long = 'a'.repeat(SHOWN_CHARACTERS - 10);
    expect(render([user('x'), assistant(long), user('0123456789')])).toBe(
      `<|user|>x<|assistant|>${long}<|end|><|user|>0123456789<|assistant|>`.replace('<|user|>x', ''),
    );
    expect(render([user('x'), assistant(long), user('01234567890')])).toBe('<|user|>01234567890<|assistant|>');
  });

  it('shows the end of a newest message that is too long', () => {
    const prompt = render([user(`${'a'.repeat(60_000)}What is 3 + 4?`)]);
    expect(prompt).toHaveLength(SHOWN_CHARACTERS + '<|user|><|assistant|>'.length);
    expect(prompt).toMatch(/aaaWhat is 3 \+ 4\?<\|assistant\|>$/);
  });

  it('asks for an answer also where nobody has spoken', () => {
    expect(render([{ role: 'system', content: 'Be brief.' }])).toBe('<|assistant|>');
  });
});
