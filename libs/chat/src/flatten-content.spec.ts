import type { ChatMessage } from './chat-message';
import contents from './fixtures/contents.json';
import templateMessages from './fixtures/template-messages.json';
import { flattenContent, InvalidContentError, normalizeMessages } from './flatten-content';

describe('flattenContent', () => {
  it.each(contents as readonly { name: string; content: unknown; text?: string; invalid?: boolean }[])(
    '$name',
    ({ content, text, invalid }) => {
      if (invalid) expect(() => flattenContent(content)).toThrow(InvalidContentError);
      else expect(flattenContent(content)).toBe(text);
    },
  );

  it('takes absent content as empty', () => {
    expect(flattenContent(undefined)).toBe('');
  });

  it('names the part whose text is no text', () => {
    expect(() => flattenContent([{ type: 'image_url' }, { type: 'text', text: 5 }])).toThrow(
      'content[1].text must be a string, a list of parts or null, not a number',
    );
  });
});

describe('normalizeMessages', () => {
  const cases = templateMessages as unknown as readonly {
    name: string;
    messages: ChatMessage[];
    normalized?: ChatMessage[];
    invalid?: boolean;
  }[];

  it.each(cases)('$name', ({ messages, normalized, invalid }) => {
    if (invalid) expect(() => normalizeMessages(messages)).toThrow(InvalidContentError);
    else expect(normalizeMessages(messages)).toEqual(normalized);
  });

  it('leaves the messages it is given as they are', () => {
    const message = Object.freeze({ role: 'developer', content: Object.freeze([{ type: 'text', text: 'a' }]) });
    expect(normalizeMessages([message])).toEqual([{ role: 'system', content: 'a' }]);
    expect(message.role).toBe('developer');
  });

  it('names the message in its error', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: { text: 'b' } },
    ];
    expect(() => normalizeMessages(messages)).toThrow(
      'messages[1].content must be a string, a list of parts or null, not an object',
    );
  });
});
