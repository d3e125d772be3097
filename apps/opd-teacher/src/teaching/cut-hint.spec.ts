import { cutHint } from './cut-hint';

const countWords = (text: string): Promise<number> => Promise.resolve(text.split(/\s+/).length);

describe('cutHint', () => {
  it.each([
    ['keeps a hint that fits', 'Read it first. Then answer.', 5, 'Read it first. Then answer.'],
    ['cuts behind a sentence', 'Read it first. Then answer in a list. Add no table.', 7, 'Read it first.'],
    [
      'keeps as many sentences as fit',
      'Read it first. Then answer in a list. Add no table.',
      8,
      'Read it first. Then answer in a list.',
    ],
    [
      'cuts a single long sentence behind a word',
      'one two three four five six seven eight nine ten',
      4,
      'one two three four',
    ],
    ['is empty where nothing fits', 'x'.repeat(100), 0, ''],
  ])('%s', async (_name, hint, most, expected) => {
    await expect(cutHint(hint, most, countWords)).resolves.toBe(expected);
  });

  it('counts nothing where a hint has fewer bytes than it may have tokens', async () => {
    const count = jest.fn(countWords);
    await cutHint('Read the file first.', 128, count);
    expect(count).not.toHaveBeenCalled();
  });
});
