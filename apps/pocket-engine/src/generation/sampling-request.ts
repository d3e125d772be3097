import { randomInt } from 'node:crypto';
import { END_ID, seededRandom, type Random, type SamplingOptions } from '@app/pocket-lm';
import type { PocketModel } from '../model/pocket-model';
import { refuse } from '../protocol/engine-error';
import type { JsonObject } from '../protocol/json';
import { TextAssembler } from './text-assembler';

const MARKS = ['<|user|>', '<|assistant|>', '<|end|>', '<|pad|>'];
const SEEDS = 2 ** 32;

const numberOr = (fields: JsonObject, name: string, fallback: number): number => {
  const value = fields[name] ?? fallback;
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(`${name} must be a number`, name);
};

const check = (isGood: boolean, name: string, rule: string): void => {
  if (!isGood) refuse(`${name} must be ${rule}`, name);
};

/** temperature, top_p and top_k, as SGLang takes them. @throws EngineError */
export const readSampling = (fields: JsonObject): SamplingOptions => {
  const temperature = numberOr(fields, 'temperature', 1);
  const topP = numberOr(fields, 'top_p', 1);
  const topK = numberOr(fields, 'top_k', -1);
  check(temperature >= 0, 'temperature', 'at least 0');
  check(topP > 0 && topP <= 1, 'top_p', 'above 0 and at most 1');
  check(Number.isInteger(topK) && (topK === -1 || topK >= 1), 'top_k', '-1 or a whole number from 1 on');
  return { temperature, topP, topK };
};

/** Random numbers of a seed, or of no seed. @throws EngineError */
export const readRandom = (fields: JsonObject, name: string): Random => {
  const seed = numberOr(fields, name, randomInt(SEEDS));
  check(Number.isInteger(seed), name, 'a whole number');
  return seededRandom(seed);
};

const idsOf = (value: unknown, name: string): number[] => {
  if (value === undefined || value === null) return [];
  const ids: unknown[] = Array.isArray(value) ? value : refuse(`${name} must be a list of token ids`, name);
  return ids.every((id) => Number.isInteger(id)) ? (ids as number[]) : refuse(`${name} must hold token ids`, name);
};

/** Ids that end the answer: the model's own, unless they are to be ignored, and the request's. @throws EngineError */
export const readStopIds = (fields: JsonObject): ReadonlySet<number> =>
  new Set([...(fields.ignore_eos === true ? [] : [END_ID]), ...idsOf(fields.stop_token_ids, 'stop_token_ids')]);

/** What turns an answer's tokens into its text. @throws EngineError */
export const readText = (fields: JsonObject, model: PocketModel): TextAssembler => {
  const stop: unknown = typeof fields.stop === 'string' ? [fields.stop] : (fields.stop ?? []);
  if (!Array.isArray(stop) || stop.some((text) => typeof text !== 'string')) refuse('stop must be texts', 'stop');
  return new TextAssembler(model.vocabulary, {
    shown: fields.skip_special_tokens === false ? MARKS : [],
    stop: (stop as string[]).filter((text) => text !== ''),
    keepStop: fields.no_stop_trim === true,
  });
};

/** A number of tokens or of alternatives, or null where it is not named. @throws EngineError */
export const readCount = (fields: JsonObject, name: string): number | null => {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  return refuse(`${name} must be a whole number from 0 on`, name);
};

/** @returns the tokens that may be generated. @throws EngineError where prompt and answer do not fit the context */
export const tokenBudget = (promptTokens: number, asked: number | null, context: number): number => {
  if (promptTokens >= context && asked !== 0) {
    refuse(`The input (${promptTokens} tokens) is longer than the model's context length (${context} tokens).`);
  }
  const total = promptTokens + (asked ?? 0);
  if (total > context) {
    refuse(
      `Requested token count exceeds the model's maximum context length of ${context} tokens. You requested a total of ` +
        `${total} tokens: ${promptTokens} tokens from the input messages and ${asked ?? 0} tokens for the completion.`,
    );
  }
  return asked ?? context - promptTokens;
};

/** A list of token ids of this model. @throws EngineError */
export const checkPromptIds = (ids: readonly unknown[], { vocabularySize }: PocketModel['config']): number[] => {
  const bad = ids.findIndex((id) => !Number.isInteger(id) || Number(id) < 0 || Number(id) >= vocabularySize);
  if (bad >= 0) refuse(`input_ids[${bad}] is not a token id of this model.`, 'input_ids');
  if (ids.length === 0) refuse('The prompt is empty.');
  return ids as number[];
};
