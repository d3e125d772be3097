import { Logger } from '@nestjs/common';
import { PocketFolderError, type PocketModel } from './pocket-model';
import type { ServedWeights, WeightsNote } from './weights-note';

/** The model's id before the first update; then it is the path of its weights, as in SGLang. */
export const MODEL_ID = 'pocket';

const BASE: ServedWeights = { path: MODEL_ID, version: 'default' };

/** What an engine begins with: the weights that it served last, where they are still there; else those that ship. */
export const firstWeights = (model: PocketModel, note: WeightsNote): ServedWeights => {
  const last = note.read();
  if (last === null) return BASE;
  if (last.path === MODEL_ID) return last;
  try {
    model.machine.parameters.write(model.readParameters(last.path));
    return last;
  } catch (error) {
    if (!(error instanceof PocketFolderError)) throw error;
    new Logger('pocket-engine').warn(`the weights that served last are not there any more: ${error.message}`);
    return BASE;
  }
};
