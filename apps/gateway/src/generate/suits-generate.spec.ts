import { parseChatRequest } from '../chat/parse-request';
import { suitsGenerate } from './suits-generate';

const USER = { role: 'user', content: 'hi' };

describe('suitsGenerate', () => {
  it.each([
    ['a stock request', {}, true],
    ['text in parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }, true],
    ['a picture', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] }, false],
    ['an answer to be continued', { messages: [USER, { role: 'assistant', content: 'Well' }] }, false],
    ['several choices', { n: 2 }, false],
    ['log-probs for the client', { logprobs: true }, false],
    ['a grammar', { response_format: { type: 'json_object' } }, false],
  ])('%s: %#', (_, fields, suits) => {
    const request = parseChatRequest(Buffer.from(JSON.stringify({ messages: [USER], ...fields })));
    expect(suitsGenerate(request)).toBe(suits);
  });
});
