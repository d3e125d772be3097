import { randomUUID } from 'node:crypto';
import type { PocketModel } from '../model/pocket-model';
import type { JsonObject } from '../protocol/json';
import type { JobRequest } from './job';
import { readRandom, readSampling, readStopIds, readText } from './sampling-request';

/** A request's id, or a new one. */
export const readRid = ({ rid }: JsonObject): string =>
  typeof rid === 'string' && rid !== '' ? rid : randomUUID().replaceAll('-', '');

/** What the two routes name each in its own way. */
export interface AskedAnswer extends Pick<JobRequest, 'rid' | 'promptIds' | 'maxTokens' | 'topCount'> {
  /** Name of the field that holds the seed. */
  readonly seedField: string;
}

/** A job from the fields that say how the answer is drawn, and what ends it. @throws EngineError */
export const readJob = (fields: JsonObject, asked: AskedAnswer, model: PocketModel): JobRequest => {
  const { seedField, ...rest } = asked;
  return {
    ...rest,
    sampling: readSampling(fields),
    stopIds: readStopIds(fields),
    random: readRandom(fields, seedField),
    text: readText(fields, model),
  };
};
