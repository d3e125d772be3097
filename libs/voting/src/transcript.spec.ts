import { readContent, writeResponse } from './transcript';

describe('what a judge reads', () => {
  it('is the text of text parts, the type of other parts, and what is no part as it was written', () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: {} },
      {},
      'bare',
      ['a', 'list'],
      5,
    ];
    expect(readContent(content).split('\n')).toEqual(['look', '[image_url]', '[part]', 'bare', '["a","list"]', '5']);
  });

  it('names the calls of an answer, and takes no list for one', () => {
    const calls = [
      { function: { name: 'read', arguments: '{}' } },
      [{ name: 'no' }],
      null,
      { name: 'ls', arguments: {} },
    ];
    const written = writeResponse({ role: 'assistant', content: null, tool_calls: calls }, 10_000);
    expect([...written.matchAll(/<tool_call([^>]*)>/g)].map(([, attributes]) => attributes)).toEqual([
      ' name="read"',
      ' name="ls"',
    ]);
  });
});
