import { isRecord } from '@app/chat';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown when a folder is no model folder in Hugging Face's layout, or holds what this project cannot work with. */
export class ModelFolderError extends Error {
  override readonly name = 'ModelFolderError';

  constructor(folder: string, problem: string, options?: ErrorOptions) {
    super(
      `server.tokenizer "${folder}": ${problem}; name a folder with tokenizer.json, tokenizer_config.json and a chat template`,
      options,
    );
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Sampling that an engine's chat takes from the model where a request names none. */
export interface SamplingDefaults {
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
}

/** What of a model's folder is needed to render prompts and to read tokens. */
export interface ModelFolder {
  readonly folder: string;
  /** tokenizer.json */
  readonly tokenizer: Json;
  /** tokenizer_config.json */
  readonly config: Json;
  /** The chat template, in Jinja. */
  readonly template: string;
  readonly sampling: SamplingDefaults;
}

const readJson = (folder: string, file: string): Json => {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new ModelFolderError(folder, `${file} cannot be read`, { cause });
  }
  throw new ModelFolderError(folder, `${file} is no JSON object`);
};

/** A list of named templates holds the chat's one under `default`. */
const templateOf = (folder: string, config: Json): string => {
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const template = config.chat_template;
  if (typeof template === 'string') return template;
  const named: unknown[] = Array.isArray(template) ? template : [];
  const chosen = named.find((each) => isRecord(each) && each.name === 'default');
  if (isRecord(chosen) && typeof chosen.template === 'string') return chosen.template;
  throw new ModelFolderError(folder, 'there is no chat template');
};

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Reads a model's folder. @throws ModelFolderError */
export const readModelFolder = (folder: string): ModelFolder => {
  const config = readJson(folder, 'tokenizer_config.json');
  const generation = existsSync(join(folder, 'generation_config.json'))
    ? readJson(folder, 'generation_config.json')
    : {};
  return {
    folder,
    tokenizer: readJson(folder, 'tokenizer.json'),
    config,
    template: templateOf(folder, config),
    sampling: {
      temperature: numberOf(generation.temperature),
      topP: numberOf(generation.top_p),
      topK: numberOf(generation.top_k),
    },
  };
};
