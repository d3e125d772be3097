import { parseChat, tokenBudget } from './chat-request';
import { DEFAULT_SETTINGS } from './options';
import { decode } from './tokenizer';

const messages = [{ role: 'user', content: 'hi' }];

describe('parseChat', () => {
  it('takes the settings where the body names nothing', () => {
    const settings = { ...DEFAULT_SETTINGS, temperature: 0.6, topP: 0.95, topK: 20 };
    expect(parseChat({ messages }, settings).sampling).toMatchObject({ temperature: 0.6, topP: 0.95, topK: 20 });
    expect(parseChat({ messages, temperature: 0, top_p: 1, top_k: -1 }, settings).sampling).toMatchObject({
      temperature: 0,
      topP: 1,
      topK: -1,
    });
  });

  it('takes given ids in place of the rendered messages', () => {
    expect(parseChat({ messages, input_ids: [4, 5, 6] }, DEFAULT_SETTINGS).promptIds).toEqual([4, 5, 6]);
  });

  it('leaves tools out where tool_choice is none', () => {
    const body = { messages, tools: [{ type: 'function', function: { name: 'f' } }] };
    const without = parseChat({ ...body, tool_choice: 'none' }, DEFAULT_SETTINGS);
    expect(parseChat(body, DEFAULT_SETTINGS).parseTools).toBe(true);
    expect(without.parseTools).toBe(false);
    expect(decode(without.promptIds)).not.toContain('<tools>');
  });

  it.each([
    [{}, 'messages'],
    [{ messages: 'hi' }, 'messages'],
    [{ messages: [{ content: 'hi' }] }, 'messages'],
    [{ messages, n: 3 }, 'n'],
    [{ messages, stream: true, return_meta_info: true }, null],
  ])('refuses %j', (body, param) => {
    expect(() => parseChat(body, DEFAULT_SETTINGS)).toThrow(expect.objectContaining({ status: 400, param }));
  });
});

describe('tokenBudget', () => {
  it('is what was asked for, else what the context leaves', () => {
    expect(tokenBudget(10, 5, 100)).toBe(5);
    expect(tokenBudget(10, undefined, 100)).toBe(90);
    expect(tokenBudget(10, 90, 100)).toBe(90);
    expect(() => tokenBudget(10, 91, 100)).toThrow(/maximum context length of 100 tokens.*total of 101/);
    expect(() => tokenBudget(100, undefined, 100)).toThrow(/longer than the model's context length/);
  });
});
