import { CARRIER, STRING_CARRIER, says } from './fixtures/openclaw-requests';
import { isInternalContext, stripInternalContext } from './internal-context';

const BEGIN = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>';
const END = '<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';

describe('stripInternalContext', () => {
  it.each([
    ['a block alone', `${BEGIN}\nx\n${END}`, ''],
    ['a block after the text', `hi\n\n${BEGIN}\nx\n${END}`, 'hi'],
    ['a block before the text', `${BEGIN}\nx\n${END}\n\nhi`, 'hi'],
    ['blocks around the text', `${BEGIN}\nx\n${END}\nhi\n${BEGIN}\ny\n${END}`, 'hi'],
    ['a block in the middle', `a\n${BEGIN}\nx\n${END}\nb`, 'a\n\nb'],
    ['a block inside a block', `a\n${BEGIN}\nx\n${BEGIN}\ny\n${END}\nz\n${END}\nb`, 'a\n\nb'],
    ['a block on one line', `${BEGIN} x ${END}`, ''],
    ['Windows line ends', `a\r\n${BEGIN}\r\nx\r\n${END}\r\nb`, 'a\n\nb'],
    ['an unclosed block', `a\n${BEGIN}\nx`, `a\n${BEGIN}\nx`],
    ['a block inside an unclosed one', `a\n${BEGIN}\n${BEGIN}\nx\n${END}\ny`, `a\n${BEGIN}\n${BEGIN}\nx\n${END}\ny`],
    ['an end without a beginning', `a\n${END}\nx`, `a\n${END}\nx`],
    ['marks quoted in the middle of a line', `what is ${BEGIN} and ${END}?`, `what is ${BEGIN} and ${END}?`],
    ['no block', ' a ', ' a '],
  ])('%s', (_name, text, stripped) => {
    expect(stripInternalContext(text)).toBe(stripped);
  });

  it('reads many unclosed marks in linear time', () => {
    const text = `${BEGIN}\n`.repeat(100_000) + ' '.repeat(500_000);
    const started = process.cpuUsage().user;
    expect(stripInternalContext(text)).toBe(text);
    expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
  });
});

describe('isInternalContext', () => {
  it.each([CARRIER, STRING_CARRIER])('knows the carrier in both its forms', (message) => {
    expect(isInternalContext(message)).toBe(true);
  });

  it.each([
    ['a user message', says('hello')],
    ['a user message with a block in it', { role: 'user', content: `hello\n${BEGIN}\nx\n${END}` }],
    ['a block beside an image', { role: 'user', content: [...(CARRIER.content as unknown[]), { type: 'image_url' }] }],
    ['a tool result that quotes a block', { ...STRING_CARRIER, role: 'tool' }],
    ['an empty message', { role: 'user', content: '' }],
    ['an empty list', { role: 'user', content: [] }],
    ['no content', { role: 'user' }],
    ['no message', null],
  ])('takes %s as spoken', (_name, message) => {
    expect(isInternalContext(message)).toBe(false);
  });
});
