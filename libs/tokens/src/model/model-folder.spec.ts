import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFolder } from './model-folder';
import { Vocabulary } from './vocabulary';

describe('readModelFolder', () => {
  let folder: string;
  const write = (files: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(files)) {
      writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'model-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('reads the template from the configuration, from its named ones, or from a file of its own, which wins', () => {
    write({ 'tokenizer.json': {}, 'tokenizer_config.json': { chat_template: 'a' } });
    expect(readModelFolder(folder).template).toBe('a');
    const named = [
      { name: 'rag', template: 'b' },
      { name: 'default', template: 'c' },
    ];
    write({ 'tokenizer_config.json': { chat_template: named } });
    expect(readModelFolder(folder).template).toBe('c');
    write({ 'chat_template.jinja': 'd' });
    expect(readModelFolder(folder).template).toBe('d');
  });

  it('reads the sampling that an engine’s chat takes from the model', () => {
    write({ 'tokenizer.json': {}, 'tokenizer_config.json': { chat_template: 'a' } });
    expect(readModelFolder(folder).sampling).toEqual({ temperature: null, topP: null, topK: null });
    write({ 'generation_config.json': { temperature: 0.6, top_k: 20 } });
    expect(readModelFolder(folder).sampling).toEqual({ temperature: 0.6, topP: null, topK: 20 });
  });

  it.each([
    ['nothing', {}, 'tokenizer_config.json cannot be read'],
    ['no JSON', { 'tokenizer_config.json': '{' }, 'tokenizer_config.json cannot be read'],
    ['no object', { 'tokenizer_config.json': '[]' }, 'tokenizer_config.json is no JSON object'],
    ['no template', { 'tokenizer.json': {}, 'tokenizer_config.json': {} }, 'there is no chat template'],
  ])('says what is wrong with a folder of %s', (_, files, problem) => {
    write(files);
    expect(() => readModelFolder(folder)).toThrow(`server.tokenizer "${folder}": ${problem}`);
  });
});

describe('Vocabulary', () => {
  const folder = 'm';
  const model = { type: 'BPE', vocab: { '▁Hi': 0, '<0xE2>': 1, ĠHi: 2, Ċ: 3 } };

  it('reads bytes of a byte-level tokenizer', () => {
    const vocabulary = new Vocabulary({ folder, tokenizer: { model, decoder: { type: 'ByteLevel' } } });
    expect([2, 3].map((id) => Buffer.from(vocabulary.bytesOf(id)).toString())).toEqual([' Hi', '\n']);
  });

  it('reads bytes of a SentencePiece tokenizer', () => {
    const decoder = { type: 'Sequence', decoders: [{ type: 'Replace' }, { type: 'ByteFallback' }, { type: 'Fuse' }] };
    const vocabulary = new Vocabulary({ folder, tokenizer: { model, decoder } });
    expect(Buffer.from(vocabulary.bytesOf(0)).toString()).toBe(' Hi');
    expect(Array.from(vocabulary.bytesOf(1))).toEqual([0xe2]);
  });

  it.each([
    ['tokens that are no BPE', { model: { type: 'WordPiece', vocab: {} }, decoder: { type: 'ByteLevel' } }],
    ['a decoder that it does not know', { model, decoder: { type: 'WordPiece' } }],
  ])('refuses %s', (_, tokenizer) => {
    expect(() => new Vocabulary({ folder, tokenizer })).toThrow('server.tokenizer "m"');
  });
});
