import { createHash } from 'node:crypto';
import { checkModelConfig, type ModelConfig } from '../model/model-config';
import { layOutParameters } from '../model/parameters';
import { END_ID } from '../tokenizer/chat-template';
import { decodeSafetensors, encodeSafetensors } from './safetensors';

/** Thrown for weights that are not those of this configuration and tokenizer. */
export class WeightsError extends Error {
  override readonly name = 'WeightsError';

  constructor(problem: string) {
    super(`pocket weights: ${problem}`);
  }
}

/** config.json in Hugging Face's layout. */
export const configJson = (config: ModelConfig): Readonly<Record<string, unknown>> => ({
  architectures: ['PocketForCausalLM'],
  model_type: 'pocket',
  vocab_size: config.vocabularySize,
  hidden_size: config.width,
  num_hidden_layers: config.layers,
  num_attention_heads: config.heads,
  intermediate_size: config.hidden,
  max_position_embeddings: config.context,
  rope_theta: config.ropeBase,
  rms_norm_eps: config.epsilon,
  hidden_act: 'gelu_pytorch_tanh',
  tie_word_embeddings: true,
  torch_dtype: 'float32',
  eos_token_id: END_ID,
});

/** @throws ModelConfigError */
export const parseConfigJson = (json: Readonly<Record<string, unknown>>): ModelConfig =>
  checkModelConfig({
    vocabularySize: Number(json.vocab_size),
    width: Number(json.hidden_size),
    layers: Number(json.num_hidden_layers),
    heads: Number(json.num_attention_heads),
    hidden: Number(json.intermediate_size),
    context: Number(json.max_position_embeddings),
    ropeBase: Number(json.rope_theta),
    epsilon: Number(json.rms_norm_eps),
  });

/** Weights belong to the tokenizer whose tokenizer.json has this hash: with other merges they give fluent nonsense. */
export const hashTokenizer = (tokenizerJson: string | Uint8Array): string =>
  createHash('sha256').update(tokenizerJson).digest('hex');

/** Parameters as model.safetensors, bound to their tokenizer. */
export const encodeWeights = (
  config: ModelConfig,
  parameters: Float32Array,
  metadata: { readonly tokenizer: string } & Readonly<Record<string, string>>,
): Uint8Array =>
  encodeSafetensors({
    metadata: { format: 'pt', ...metadata },
    tensors: layOutParameters(config).specs.map(({ name, shape, offset, count }) => ({
      name,
      shape,
      values: parameters.subarray(offset, offset + count),
    })),
  });

/** @throws WeightsError, SafetensorsError */
export const decodeWeights = (file: Uint8Array, config: ModelConfig, tokenizer: string): Float32Array => {
  const { tensors, metadata } = decodeSafetensors(file);
  if (metadata.tokenizer !== tokenizer) {
    const theirs = metadata.tokenizer ?? 'none';
    throw new WeightsError(
      `they belong to tokenizer ${theirs}, not to ${tokenizer}; take the tokenizer that came with them`,
    );
  }
  const layout = layOutParameters(config);
  const parameters = new Float32Array(layout.count);
  for (const { name, shape, offset } of layout.specs) {
    const tensor = tensors.find((each) => each.name === name);
    const sizes = tensor?.shape.join(' x ') ?? 'missing';
    if (tensor === undefined || sizes !== shape.join(' x ')) {
      throw new WeightsError(`${name} is ${sizes}, but config.json asks for ${shape.join(' x ')}`);
    }
    parameters.set(tensor.values, offset);
  }
  return parameters;
};
