import { lastMessage, renderChat, withoutDecoration } from './messages';

describe('renderChat', () => {
  it('renders ChatML with tools, tool results and calls', () => {
    const text = renderChat(
      [
        { role: 'system', content: 's' },
        { role: 'user', content: [{ type: 'text', text: 'u' }] },
        { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', content: 'r', tool_call_id: 'x' },
      ],
      { tools: [{ type: 'function', function: { name: 'f' } }] },
    );
    expect(text).toContain('<tools>\n{"type": "function", "function": {"name": "f"}}\n</tools>');
    expect(text).toMatch(
      /<\|im_start\|>system\ns<\|im_end\|>\n<\|im_start\|>user\nu<\|im_end\|>\n<\|im_start\|>assistant\n\n<tool_call>\n\{"name": "f", "arguments": \{\}\}\n<\/tool_call><\|im_end\|>\n<\|im_start\|>user\n<tool_response>\nr\n<\/tool_response><\|im_end\|>\n<\|im_start\|>assistant\n$/,
    );
  });

  it('makes a user message of a last assistant message, unless it is to be continued', () => {
    const messages = [
      { role: 'user', content: 'u' },
      { role: 'assistant', content: 'so far' },
    ];
    expect(renderChat(messages)).toContain('<|im_start|>user\nso far<|im_end|>');
    expect(renderChat(messages, { continueFinal: true })).toMatch(/<\|im_start\|>assistant\nso far$/);
  });

  it('closes an empty thought when thinking is off', () => {
    expect(renderChat([{ role: 'user', content: 'u' }], { thinking: false })).toMatch(/<think>\n\n<\/think>\n\n$/);
  });
});

describe('lastMessage', () => {
  it('passes over carriers of internal context', () => {
    const carrier = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>x<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';
    expect(
      lastMessage([
        { role: 'tool', content: 'result' },
        { role: 'user', content: carrier },
      ]),
    ).toEqual({ role: 'tool', text: 'result' });
    expect(lastMessage([{ role: 'assistant', content: 'a' }])).toBeUndefined();
  });

  it('knows the date and the runtime line of OpenClaw', () => {
    expect(withoutDecoration('[Mon 2026-11-30 06:31 UTC] hi\n\nRuntime: agent=main')).toBe('hi');
    expect(withoutDecoration('[x] Runtime: hi')).toBe('[x] Runtime: hi');
  });
});
