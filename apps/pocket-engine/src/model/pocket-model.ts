import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeWeights,
  Decoder,
  hashTokenizer,
  Machine,
  parseConfigJson,
  PocketTokenizer,
  type ModelConfig,
} from '@app/pocket-lm';
import { readModelFolder, Vocabulary } from '@app/tokens';

/** Thrown when a folder is not one of this model. */
export class PocketFolderError extends Error {
  override readonly name = 'PocketFolderError';

  constructor(folder: string, problem: string, options?: ErrorOptions) {
    super(`pocket.model_dir "${folder}": ${problem}; name a folder with the files of libs/pocket-lm/weights`, options);
  }
}

const read = (folder: string, file: string): Buffer => {
  try {
    return readFileSync(join(folder, file));
  } catch (cause) {
    throw new PocketFolderError(folder, `${file} cannot be read`, { cause });
  }
};

const checked = <T>(folder: string, work: () => T): T => {
  try {
    return work();
  } catch (cause) {
    throw new PocketFolderError(folder, cause instanceof Error ? cause.message : String(cause), { cause });
  }
};

/** The model that is served: sizes and tokenizer stay, weights change. */
export class PocketModel {
  readonly config: ModelConfig;
  readonly tokenizer: PocketTokenizer;
  readonly vocabulary: Vocabulary;
  readonly machine: Machine;
  readonly decoder: Decoder;
  private readonly hash: string;

  /** @throws PocketFolderError */
  constructor(
    readonly folder: string,
    streams: number,
  ) {
    const { tokenizer, config, template } = checked(folder, () => readModelFolder(folder));
    this.tokenizer = new PocketTokenizer({ tokenizer, config: { ...config, chat_template: template } });
    this.vocabulary = new Vocabulary({ folder, tokenizer });
    this.hash = hashTokenizer(read(folder, 'tokenizer.json'));
    const json: unknown = JSON.parse(read(folder, 'config.json').toString('utf8'));
    this.config = checked(folder, () => parseConfigJson(json as Record<string, unknown>));
    this.machine = new Machine(this.config, this.readParameters(folder));
    this.decoder = new Decoder(this.machine, streams);
  }

  /** Parameters of another folder, or of a safetensors file, for this tokenizer. @throws PocketFolderError */
  readParameters(path: string): Float32Array {
    const isFile = path.endsWith('.safetensors');
    const bytes = isFile ? read('', path) : read(path, 'model.safetensors');
    return checked(path, () => decodeWeights(bytes, this.config, this.hash));
  }
}
