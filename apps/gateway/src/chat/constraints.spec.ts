import { isConstrained } from './constraints';

describe('isConstrained', () => {
  it.each([
    {},
    { temperature: 0.6, top_p: 0.9, top_k: 20, seed: 5, stop: ['x'], max_tokens: 10 },
    { tool_choice: 'auto', tools: [{}] },
    { tool_choice: 'none' },
    { response_format: { type: 'text' } },
    { response_format: [], tool_choice: [] },
    { logit_bias: {}, min_p: 0, frequency_penalty: 0, presence_penalty: 0, repetition_penalty: 1, lora_path: null },
  ])('leaves %j to the policy', (body) => {
    expect(isConstrained(body)).toBe(false);
  });

  it.each([
    { logit_bias: { '5': -100 } },
    { min_p: 0.05 },
    { frequency_penalty: 0.2 },
    { presence_penalty: -1 },
    { repetition_penalty: 1.1 },
    { regex: 'a+' },
    { ebnf: 'root ::= "a"' },
    { lora_path: 'other-adapter' },
    { input_ids: [1, 2] },
    { response_format: { type: 'json_object' } },
    { response_format: { type: 'json_schema', json_schema: {} } },
    { tool_choice: 'required' },
    { tool_choice: { type: 'function', function: { name: 'f' } } },
  ])('finds that %j changes what is drawn', (body) => {
    expect(isConstrained(body)).toBe(true);
  });
});
