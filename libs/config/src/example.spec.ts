import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from './catalogue';
import { loadSettings } from './load-settings';
import { Settings } from './settings';
import { parse } from 'smol-toml';

const example = readFileSync(join(__dirname, '../../../openclaw-rl.example.toml'), 'utf8');
const withoutComments = example.replace(/^# (\w+ = )/gm, '$1');

test('the example changes nothing as it is', () => {
  expect(loadSettings({}, () => example)).toEqual(loadSettings({}, () => null));
});

test('the example shows every setting, in order, with its default', () => {
  const file = parse(withoutComments) as Record<string, Record<string, unknown>>;
  const shown = Object.entries(file).flatMap(([section, keys]) => Object.keys(keys).map((key) => `${section}.${key}`));
  expect(shown).toEqual(CATALOGUE.map((entry) => entry.path));
  for (const { section, key, default: value } of CATALOGUE) {
    if (value !== null) expect(file[section]?.[key]).toEqual(value);
  }
});

test('the values of the example are all allowed together', () => {
  const files: Record<string, string> = {
    'openclaw-rl.toml': withoutComments,
    'chat-keys.txt': 'a',
    'trainer-keys.txt': 'b',
  };
  const settings = loadSettings(
    { EXAMPLE_API_KEY: 'x', JUDGE_API_KEY: 'y', DOOR_KEY: 'z' },
    (path) => files[path] ?? null,
  );
  expect(settings).toBeInstanceOf(Settings);
});
