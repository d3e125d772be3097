import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import {
  decodeCheckpoint,
  decodeWeights,
  encodeCheckpoint,
  encodeWeights,
  hashTokenizer,
  parseConfigJson,
  PocketTokenizer,
  type AdamWState,
  type ModelConfig,
} from '@app/pocket-lm';
import type { LearnerState } from './learner';

const WEIGHTS_FILE = 'model.safetensors';
const CHECKPOINT_FILE = 'checkpoint.safetensors';
const MANIFEST_FILE = 'manifest.json';
const MODEL_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;
const UPDATE = /^update-(\d{6,})-[0-9a-f]{8}$/;
/** What serves, and what served before it, which an engine may just be loading. */
const KEPT_ANYWAY = 2;

/** Thrown for a folder of weights that cannot be gone on from. */
export class WeightFolderError extends Error {
  override readonly name = 'WeightFolderError';

  constructor(folder: string, problem: string, options?: ErrorOptions) {
    super(`folder of weights ${JSON.stringify(folder)}: ${problem}`, options);
  }
}

/** The model that training begins with. */
export interface BaseModel {
  readonly config: ModelConfig;
  readonly parameters: Float32Array;
  /** Hash of the tokenizer that all its weights belong to. */
  readonly tokenizer: string;
}

/** What a folder of weights says of itself. */
export interface WeightsManifest {
  /** Updates by this trainer since the base model. */
  readonly update: number;
  readonly sha256: string;
  readonly turn_ids: readonly string[];
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Folders of weights in Hugging Face's layout, one an update: engines load them, and training goes on from them. A folder
 * is there whole or not at all.
 */
export class WeightFolders {
  constructor(
    private readonly options: { readonly dir: string; readonly baseDir: string; readonly checkpointEvery: number },
  ) {}

  /** @throws WeightFolderError */
  async readBase(): Promise<BaseModel> {
    const { baseDir } = this.options;
    const json: unknown = JSON.parse((await this.read(baseDir, 'config.json')).toString('utf8'));
    const config = parseConfigJson(json as Record<string, unknown>);
    const tokenizer = hashTokenizer(await this.read(baseDir, 'tokenizer.json'));
    const parameters = decodeWeights(await this.read(baseDir, WEIGHTS_FILE), config, tokenizer);
    return { config, parameters, tokenizer };
  }

  /** Tokenizer and chat template of the base model. @throws WeightFolderError */
  async readTokenizer(): Promise<PocketTokenizer> {
    const { baseDir } = this.options;
    const [tokenizer, config] = await Promise.all(
      ['tokenizer.json', 'tokenizer_config.json'].map(
        async (file) => JSON.parse((await this.read(baseDir, file)).toString('utf8')) as object,
      ),
    );
    return new PocketTokenizer({ tokenizer, config } as ConstructorParameters<typeof PocketTokenizer>[0]);
  }

  /** What a folder holds: the optimizer's part only where this trainer made it. @throws WeightFolderError */
  async readUpdate(folder: string, base: BaseModel): Promise<LearnerState & { readonly update: number }> {
    const parameters = decodeWeights(await this.read(folder, WEIGHTS_FILE), base.config, base.tokenizer);
    const isOurs = resolve(folder, '..') === resolve(this.options.dir) && UPDATE.test(basename(folder));
    if (!isOurs) return { parameters, optimizer: null, update: 0 };
    const { optimizer } = decodeCheckpoint(await this.read(folder, CHECKPOINT_FILE));
    return { parameters, optimizer, update: Number(UPDATE.exec(basename(folder))?.[1]) };
  }

  /** Writes an update's folder, under another name until it is whole. Returns its path. */
  async write(
    state: { readonly parameters: Float32Array; readonly optimizer: AdamWState },
    base: BaseModel,
    about: Omit<WeightsManifest, 'sha256'>,
  ): Promise<string> {
    const { dir, baseDir } = this.options;
    // A name of its own: one that did not go live, as far as is known, may be serving all the same.
    const folder = resolve(dir, `update-${String(about.update).padStart(6, '0')}-${randomBytes(4).toString('hex')}`);
    const part = `${folder}.part`;
    await mkdir(part, { recursive: true });
    const weights = encodeWeights(base.config, state.parameters, { tokenizer: base.tokenizer });
    const sha256 = createHash('sha256').update(weights).digest('hex');
    await writeDurably(join(part, WEIGHTS_FILE), weights);
    await writeDurably(join(part, CHECKPOINT_FILE), encodeCheckpoint({ ...state, settings: 'trainer' }));
    for (const file of MODEL_FILES) await copyFile(join(baseDir, file), join(part, file), constants.COPYFILE_FICLONE);
    await writeDurably(join(part, MANIFEST_FILE), Buffer.from(`${JSON.stringify({ ...about, sha256 }, null, 2)}\n`));
    await rename(part, folder);
    return folder;
  }

  /** Removes folders up to this update that nobody needs any more, and what a dead process left behind. */
  async prune(newest: number): Promise<void> {
    const { dir, checkpointEvery } = this.options;
    await mkdir(dir, { recursive: true });
    for (const name of await readdir(dir)) {
      const update = name.endsWith('.part') ? -Infinity : Number(UPDATE.exec(name)?.[1] ?? Infinity);
      if (update > newest - KEPT_ANYWAY || update % checkpointEvery === 0) continue;
      await rm(join(dir, name), { recursive: true, force: true });
    }
  }

  private async read(folder: string, file: string): Promise<Buffer> {
    try {
      return await readFile(join(folder, file));
    } catch (cause) {
      throw new WeightFolderError(folder, `${file} cannot be read`, { cause });
    }
  }
}

const writeDurably = async (path: string, bytes: Uint8Array): Promise<void> => {
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
};
