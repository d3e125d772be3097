import type { ServerSettings } from '@app/config';
import type { CaptureRoute, Sampling } from '@app/contracts';
import { NO_ADDITIONS, type Additions } from './client-view';
import { editJson } from './edit-json';
import type { ChatRequest } from './parse-request';

/** Fields that are ours alone and mean nothing to a model. */
const OURS = { session_id: undefined, turn_type: undefined, session_done: undefined };

/** Sampling as it will be: the client's word, else the configured default, else the engine's own (null). */
export const samplingOf = (request: ChatRequest, defaults: Sampling): Sampling => ({
  temperature: request.temperature ?? defaults.temperature,
  topP: request.topP ?? defaults.topP,
  topK: request.topK ?? defaults.topK,
});

/** What a route has to ask for beside the client's own wishes to capture exact token ids. */
export const additionsFor = (request: ChatRequest, route: CaptureRoute): Additions => {
  if (request.choices !== 1) return NO_ADDITIONS;
  const logprobs = !request.logprobs;
  switch (route) {
    case 'sglext':
      return { ...NO_ADDITIONS, logprobs, inputIds: !request.wantsInputIds, outputIds: !request.wantsOutputIds };
    case 'token_ids':
      return { ...NO_ADDITIONS, logprobs, tokenIds: !request.wantsTokenIds };
    case 'generate': // What does not suit it goes by a chat without ids.
    case 'text':
      return NO_ADDITIONS;
  }
};

const ask = (wanted: boolean, name: string): Record<string, true> => (wanted ? { [name]: true } : {});

const fill = (mine: number | null, configured: number | null, name: string): Record<string, number> =>
  mine === null && configured !== null ? { [name]: configured } : {};

/** The client's body with the upstream's model name, our additions and no field of ours; every other byte as it came. */
export const upstreamBody = (
  request: ChatRequest,
  options: { additions: Additions; model: string | null; defaults: ServerSettings },
): Buffer => {
  const { additions, model, defaults } = options;
  return editJson(request.members, {
    ...OURS,
    ...(model === null ? {} : { model }),
    ...fill(request.temperature, defaults.temperature, 'temperature'),
    ...fill(request.topP, defaults.topP, 'top_p'),
    ...fill(request.topK, defaults.topK, 'top_k'),
    ...ask(additions.logprobs, 'logprobs'),
    ...ask(additions.inputIds, 'return_input_ids_in_sglext'),
    ...ask(additions.outputIds, 'return_output_ids_in_sglext'),
    ...ask(additions.tokenIds, 'return_token_ids'),
  });
};
