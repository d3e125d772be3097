import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TINY, tinyParameters } from '../../../../libs/pocket-lm/src/testing/tiny-model';
import { writeTinyModel } from './fixtures/tiny-samples';
import { WeightFolders, type BaseModel } from './weight-folders';

describe('WeightFolders', () => {
  let root: string;
  let folders: WeightFolders;
  let base: BaseModel;
  const optimizer = { steps: 7, means: tinyParameters(2), squares: tinyParameters(3) };
  const parameters = tinyParameters(4);
  const write = (update: number): Promise<string> =>
    folders.write({ parameters, optimizer }, base, { update, turn_ids: ['t'], metrics: { loss: 0.5 } });
  const names = (): number[] =>
    readdirSync(join(root, 'weights'))
      .map((name) => Number(/^update-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1]))
      .sort((a, b) => a - b);

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'weights-'));
    await writeTinyModel(join(root, 'base'));
    folders = new WeightFolders({ dir: join(root, 'weights'), baseDir: join(root, 'base'), checkpointEvery: 4 });
    base = await folders.readBase();
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('reads the base model, and what it wrote', async () => {
    expect(base).toMatchObject({ config: TINY, parameters: tinyParameters(1) });
    const folder = await write(3);
    expect(await folders.readUpdate(folder, base)).toEqual({ parameters, optimizer, update: 3 });
    expect(readdirSync(folder).sort()).toEqual([
      'checkpoint.safetensors',
      'config.json',
      'manifest.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))).toEqual({
      update: 3,
      turn_ids: ['t'],
      metrics: { loss: 0.5 },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('begins with fresh moments from weights that another trainer made', async () => {
    await writeTinyModel(join(root, 'others'));
    expect(await folders.readUpdate(join(root, 'others'), base)).toEqual({
      parameters: tinyParameters(1),
      optimizer: null,
      update: 0,
    });
  });

  it('never writes over weights of the same number, which may serve', async () => {
    expect(await write(1)).not.toBe(await write(1));
    expect(names()).toEqual([1, 1]);
  });

  it('keeps what serves, what served before, and each so many; removes what a dead process left behind', async () => {
    for (const update of [1, 2, 3, 4, 5, 6, 7]) await write(update);
    mkdirSync(join(root, 'weights', 'update-000007-0123abcd.part'));
    await folders.prune(6);
    expect(names()).toEqual([4, 5, 6, 7]);
  });

  it('refuses a folder that is not whole, and weights of another tokenizer', async () => {
    const folder = await write(1);
    rmSync(join(folder, 'checkpoint.safetensors'));
    await expect(folders.readUpdate(folder, base)).rejects.toThrow('checkpoint.safetensors cannot be read');
    await expect(folders.readUpdate(join(root, 'nowhere'), base)).rejects.toThrow('model.safetensors cannot be read');
    writeFileSync(join(root, 'base', 'tokenizer.json'), '{"version":"2.0"}');
    await expect(folders.readBase()).rejects.toThrow('tokenizer');
  });
});
