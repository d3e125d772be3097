import { TINY, tinyParameters } from '../testing/tiny-model';
import { configJson, decodeWeights, encodeWeights, hashTokenizer, parseConfigJson } from './model-files';

describe('model files', () => {
  const tokenizer = hashTokenizer('{"merges":[]}');
  const bytes = encodeWeights(TINY, tinyParameters(1), { tokenizer });

  it('give back the configuration and the parameters', () => {
    expect(parseConfigJson(configJson(TINY))).toEqual(TINY);
    expect(decodeWeights(bytes, TINY, tokenizer)).toEqual(tinyParameters(1));
  });

  it('refuse weights of another tokenizer', () => {
    expect(() => decodeWeights(bytes, TINY, hashTokenizer('{"merges":["a b"]}'))).toThrow(
      'take the tokenizer that came with them',
    );
  });

  it.each([
    ['of another width', { ...TINY, width: 24 }, 'embedding is 24 x 16, but config.json asks for 24 x 24'],
    ['with too few layers', { ...TINY, layers: 3 }, 'layers.2.attention_norm is missing'],
  ])('refuse weights %s', (_, config, problem) => {
    expect(() => decodeWeights(bytes, config, tokenizer)).toThrow(problem);
  });

  it.each([
    ['vocab_size', 23, 'take a multiple of 8'],
    ['hidden_size', 40, 'take a multiple of 4 for each of 4 heads'],
    ['num_hidden_layers', 0, 'take a whole number above 0'],
  ])('refuse a config.json with %s %i', (name, value, problem) => {
    const json = { ...configJson(TINY), num_attention_heads: 4, [name]: value };
    expect(() => parseConfigJson(json)).toThrow(problem);
  });
});
