import { continuedBody, findChatOnlyField, generateBody } from './generate-request';

const DEFAULTS = { temperature: 0.6, topP: 0.95, topK: 20 };
const IDS = Buffer.from('[1,2]');

const bodyOf = (fields: Record<string, unknown>, stream = true) =>
  JSON.parse(generateBody(IDS, fields, { stream, defaults: DEFAULTS }).toString());

describe('generateBody', () => {
  it('asks for the prompt’s ids, with log-probs, in the model’s own sampling', () => {
    expect(bodyOf({ model: 'm', stream: true })).toEqual({
      input_ids: [1, 2],
      return_logprob: true,
      stream: true,
      sampling_params: {
        temperature: 0.6,
        top_p: 0.95,
        top_k: 20,
        max_new_tokens: null,
        skip_special_tokens: false,
        spaces_between_special_tokens: false,
      },
    });
  });

  it('says a chat’s wishes in the words of /generate', () => {
    const fields = {
      temperature: 0,
      top_p: 1,
      top_k: -1,
      max_tokens: 5,
      max_completion_tokens: 7,
      stop: 'END',
      stop_token_ids: [9],
      no_stop_trim: true,
      seed: 3,
      rid: 'r',
      priority: 2,
    };
    expect(bodyOf(fields, false)).toMatchObject({
      stream: false,
      rid: 'r',
      priority: 2,
      sampling_params: {
        temperature: 0,
        top_p: 1,
        top_k: -1,
        max_new_tokens: 7,
        stop: ['END'],
        stop_token_ids: [9],
        no_stop_trim: true,
        sampling_seed: 3,
      },
    });
    expect(bodyOf({ max_tokens: 5, stop: ['a', 'b'] }).sampling_params).toMatchObject({
      max_new_tokens: 5,
      stop: ['a', 'b'],
    });
  });
});

describe('continuedBody', () => {
  it('asks for the rest behind the tokens that have come', () => {
    const body = (generated: number[]) =>
      JSON.parse(continuedBody(IDS, { max_tokens: 5 }, { stream: true, defaults: DEFAULTS, generated }).toString());
    expect(body([3, 4])).toMatchObject({ input_ids: [1, 2, 3, 4], sampling_params: { max_new_tokens: 3 } });
    expect(body([])).toMatchObject({ input_ids: [1, 2], sampling_params: { max_new_tokens: 5 } });
  });
});

describe('findChatOnlyField', () => {
  it.each([
    [{ continue_final_message: true }, 'continue_final_message'],
    [{ separate_reasoning: false }, 'separate_reasoning'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ stop_regex: 'a+' }, 'stop_regex'],
    [{ separate_reasoning: true, top_logprobs: 0, continue_final_message: null }, null],
    [{ temperature: 1, tools: [], unknown_field: 1 }, null],
  ])('%j: %s', (fields, field) => {
    expect(findChatOnlyField(fields)).toBe(field);
  });
});
