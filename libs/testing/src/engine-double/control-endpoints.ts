import { setTimeout as delay } from 'node:timers/promises';
import { chatPromptIds } from './chat-request';
import type { Engine, PauseMode } from './engine';
import { EngineRequestError } from './errors';
import type { Exchange } from './exchange';
import { asArray, asText } from './json';
import { decode, encode } from './tokenizer';

type Endpoint = (engine: Engine, exchange: Exchange) => void | Promise<void>;

const health: Endpoint = (engine, exchange) => {
  exchange.text(engine.has('unhealthy') ? 503 : 200, '');
};

const modelInfo: Endpoint = (engine, exchange) => {
  exchange.json(200, {
    model_path: engine.modelPath,
    tokenizer_path: engine.settings.model,
    is_generation: true,
    preferred_sampling_params: null,
    ...(!engine.has('model_info_without_version') && { weight_version: engine.settings.weightVersion }),
    has_image_understanding: false,
    has_audio_understanding: false,
    model_type: 'double',
    architectures: ['EngineDouble'],
  });
};

const models: Endpoint = ({ settings, modelPath }, exchange) => {
  const card = (id: string): object => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'sglang',
    root: id,
    parent: null,
    max_model_len: settings.contextLength,
  });
  exchange.json(200, { object: 'list', data: [modelPath, settings.judgeModel].map(card) });
};

const serverInfo: Endpoint = ({ settings, modelPath, runningCount }, exchange) => {
  exchange.json(200, {
    model_path: modelPath,
    served_model_name: settings.model,
    context_length: settings.contextLength,
    incremental_streaming_output: settings.incrementalStreaming,
    weight_version: settings.weightVersion,
    reasoning_parser: settings.reasoningParser,
    tool_call_parser: settings.toolCallParser,
    internal_states: [{ num_running_reqs: runningCount }],
    version: 'double',
  });
};

const tokenize: Endpoint = (engine, exchange) => {
  const { body } = exchange;
  const one = (text: string): number[] => encode(text).slice(engine.has('tokenize_loses_a_token') ? 1 : 0);
  const max = { max_model_len: engine.settings.contextLength };
  const { tokenizes } = engine.settings;
  if (body.messages !== undefined && tokenizes !== 'texts') {
    const tokens = chatPromptIds(tokenizes === 'all' ? body : { messages: body.messages });
    exchange.json(200, { tokens, count: tokens.length, ...max });
  } else if (Array.isArray(body.prompt)) {
    const tokens = (body.prompt as string[]).map(one);
    exchange.json(200, { tokens, count: tokens.map(({ length }) => length), ...max });
  } else {
    const tokens = one(asText(body.prompt));
    exchange.json(200, { tokens, count: tokens.length, ...max });
  }
};

const detokenize: Endpoint = (_engine, exchange) => {
  const tokens = asArray(exchange.body.tokens) as number[];
  const skipSpecialTokens = exchange.body.skip_special_tokens !== false;
  exchange.json(200, { text: decode(tokens, { skipSpecialTokens }) });
};

const flushCache: Endpoint = (engine, exchange) => {
  const idle = engine.runningCount === 0;
  exchange.text(idle ? 200 : 400, idle ? 'Cache flushed.\n' : 'Flush cache failed: requests are pending.\n');
};

const pauseGeneration: Endpoint = (engine, exchange) => {
  const mode = asText(exchange.body.mode) || 'abort';
  const known: readonly string[] = engine.settings.pauseModes;
  if (known.length === 0) throw new EngineRequestError(404, 'Not Found');
  if (!known.includes(mode)) throw new EngineRequestError(400, `mode: "${mode}" is not one of ${known.join(', ')}`);
  engine.pauseGeneration(mode as PauseMode);
  exchange.json(200, { message: 'Generation paused successfully.', status: 'ok' });
};

const continueGeneration: Endpoint = (engine, exchange) => {
  engine.continueGeneration();
  exchange.json(200, { message: 'Generation continued successfully.', status: 'ok' });
};

const abortRequest: Endpoint = (engine, exchange) => {
  engine.abort(asText(exchange.body.rid), exchange.body.abort_all === true);
  exchange.text(200, '');
};

const updateWeightVersion: Endpoint = (engine, exchange) => {
  if (exchange.body.abort_all_requests !== false) engine.abort('', true);
  engine.settings.weightVersion = asText(exchange.body.new_version);
  exchange.json(200, { success: true, message: 'Weight version updated', new_version: engine.settings.weightVersion });
};

/** New weights wait for running requests, unless these are paused or aborted. */
const updateWeightsFromDisk: Endpoint = async (engine, exchange) => {
  const { body } = exchange;
  if (!asText(body.model_path)) throw new EngineRequestError(400, 'model_path is required', 'model_path');
  if (body.abort_all_requests === true) engine.abort('', true);
  if (!engine.paused) await engine.idle();
  if (body.flush_cache !== false && engine.paused && engine.runningCount > 0 && engine.standsInPlace) {
    exchange.json(400, {
      success: false,
      message: 'Flush cache failed: requests are pending.',
      num_paused_requests: 0,
    });
    return;
  }
  if (engine.settings.loadMs > 0) await delay(engine.settings.loadMs);
  engine.modelPath = asText(body.model_path);
  engine.settings.weightVersion = asText(body.weight_version) || engine.nextWeightVersion();
  const paused = engine.paused ? engine.runningCount : 0;
  exchange.json(200, { success: true, message: 'Succeeded to update model weights.', num_paused_requests: paused });
};

/** All endpoints but the two that generate, by method and path. */
export const CONTROL_ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map([
  ['GET /health', health],
  ['GET /health_generate', health],
  ['GET /model_info', modelInfo],
  ['GET /get_model_info', modelInfo],
  ['GET /server_info', serverInfo],
  ['GET /get_server_info', serverInfo],
  ['GET /v1/models', models],
  ['POST /v1/tokenize', tokenize],
  ['POST /tokenize', tokenize],
  ['POST /v1/detokenize', detokenize],
  ['POST /detokenize', detokenize],
  ['GET /flush_cache', flushCache],
  ['POST /flush_cache', flushCache],
  ['POST /pause_generation', pauseGeneration],
  ['POST /continue_generation', continueGeneration],
  ['POST /abort_request', abortRequest],
  ['POST /update_weight_version', updateWeightVersion],
  ['POST /update_weights_from_disk', updateWeightsFromDisk],
]);

/** What the other dialects offer of them. */
export const ENDPOINTS_OF: Readonly<Record<'vllm' | 'openai', ReadonlySet<string>>> = {
  vllm: new Set(['GET /health', 'GET /v1/models', 'POST /tokenize', 'POST /detokenize']),
  openai: new Set(['GET /v1/models']),
};
