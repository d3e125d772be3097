import { readRequest } from './read-request';

const messages = [{ role: 'user', content: 'hi' }];
const tools = [{ type: 'function', function: { name: 'ls' } }];

describe('readRequest', () => {
  it('tells what a prompt is rendered from and the other fields apart', () => {
    const { source, fields } = readRequest({ messages, tools, max_tokens: 5, chat_template_kwargs: { depth: 1 } });
    expect(source).toEqual({ messages, tools, kwargs: { depth: 1 } });
    expect(fields).toEqual({ max_tokens: 5, chat_template_kwargs: { depth: 1 } });
  });

  it.each([
    ['no tools where none shall be called', { tools, tool_choice: 'none' }, { tools: [], kwargs: {} }],
    [
      'no thoughts without effort',
      { reasoning_effort: 'none' },
      { kwargs: { thinking: false, enable_thinking: false } },
    ],
    [
      'the request’s own word on thoughts',
      { reasoning_effort: 'none', chat_template_kwargs: { thinking: true } },
      { kwargs: { thinking: true, enable_thinking: false } },
    ],
    ['nothing for what is no list and no object', { tools: null, chat_template_kwargs: 3 }, { tools: [], kwargs: {} }],
  ])('renders %s', (_, more, expected) => {
    expect(readRequest({ messages, ...more }).source).toMatchObject(expected);
  });
});
