import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Settings } from '@app/config';
import { readModelFolder, Vocabulary } from '@app/tokens';
import { settingsFrom } from '../../../../test/support/settings-from';
import { TokenTexts } from './token-texts';

const FOLDER = join(__dirname, '../../../../libs/pocket-lm/weights');
const withTokenizer = (tokenizer: string | null): Settings =>
  settingsFrom(tokenizer === null ? {} : { OPENCLAW_RL_SERVER_TOKENIZER: tokenizer });

test('the texts of tokens, one after the other, are the text; a character of several tokens stands with its last', () => {
  const vocabulary = new Vocabulary(readModelFolder(FOLDER));
  const bytes = (id: number): string => Buffer.from(vocabulary.bytesOf(id)).toString('latin1');
  const idOf = (byte: number): number => {
    for (let id = 0; id < 1000; id += 1) if (bytes(id) === String.fromCharCode(byte)) return id;
    throw new Error(`no token for byte ${byte}`);
  };
  const ids = [...Buffer.from('aé!')].map(idOf);
  expect(new TokenTexts(withTokenizer(FOLDER)).of(ids)).toEqual(['a', '', 'é', '!']);
  // Half a character is shown as what it is: no text.
  expect(new TokenTexts(withTokenizer(FOLDER)).of(ids.slice(0, 2))).toEqual(['a', '\ufffd']);
});

test('without a vocabulary there are no texts, and one that cannot be read is told once and stops nothing', () => {
  expect(new TokenTexts(withTokenizer(null)).of([1])).toBeNull();
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const texts = new TokenTexts(withTokenizer('/nowhere'));
  expect([texts.of([1]), texts.of([2])]).toEqual([null, null]);
  expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('server.tokenizer "/nowhere"')]);
  warn.mockRestore();
});
