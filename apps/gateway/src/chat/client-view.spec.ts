import { clientView, NO_ADDITIONS, type Additions } from './client-view';

const ALL: Additions = { logprobs: true, inputIds: true, outputIds: true, tokenIds: true };
const NAME = 'served';
const LOG_PROBS = { content: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }] };

const chunk = (fields: Record<string, unknown>): Record<string, unknown> => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: NAME,
  ...fields,
});
const delta = (fields: Record<string, unknown>): Record<string, unknown> => ({
  choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null, ...fields }],
});

describe('clientView', () => {
  it.each([
    ['nothing of ours in it', chunk(delta({ logprobs: null })), ALL],
    ['log-probs that the client asked for', chunk(delta({ logprobs: LOG_PROBS })), { ...ALL, logprobs: false }],
    [
      'ids that the client asked for',
      chunk({ choices: [], sglext: { input_ids: [1], output_ids: [[2]] } }),
      NO_ADDITIONS,
    ],
    ['the engine’s chunk to keep a stream alive', chunk({ choices: [] }), ALL],
    ['an error', { error: { message: 'm', type: 't', code: 500 } }, ALL],
    ['no model', { choices: [] }, ALL],
    ['a model that is no text', { model: null, choices: [] }, ALL],
    ['choices that are no list', chunk({ choices: {} }), ALL],
    ['choices that are no objects', chunk({ choices: [null, 1] }), ALL],
    ['an extension that is no object', chunk({ choices: [], sglext: null }), ALL],
  ])('returns the same object for %s', (_what, given, additions) => {
    expect(clientView(given, additions, NAME)).toBe(given);
  });

  it('says the served name, whatever the engine calls its weights', () => {
    const given = chunk({ model: '/weights/step-7', choices: [] });
    expect(clientView(given, NO_ADDITIONS, NAME)).toEqual({ ...given, model: NAME });
  });

  it('takes out log-probs that only we asked for, in every choice', () => {
    const choices = [
      { index: 0, delta: { content: 'a' }, logprobs: LOG_PROBS, finish_reason: null },
      { index: 1, delta: { content: 'b' }, logprobs: null, finish_reason: null },
    ];
    expect(clientView(chunk({ choices }), ALL, NAME)).toEqual(
      chunk({ choices: choices.map((choice) => ({ ...choice, logprobs: null })) }),
    );
  });

  it('takes out ids that only we asked for and keeps the rest of the extension', () => {
    const sglext = { input_ids: [1, 2], output_ids: [[3]], cached_tokens_details: { device: 4 } };
    const view = clientView(chunk({ ...delta({}), sglext }), ALL, NAME);
    expect(view).toEqual(chunk({ ...delta({}), sglext: { cached_tokens_details: { device: 4 } } }));
  });

  it('keeps the half of the ids that the client asked for', () => {
    const sglext = { input_ids: [1, 2], output_ids: [[3]] };
    const view = clientView(chunk({ choices: [], sglext }), { ...ALL, outputIds: false }, NAME);
    expect(view).toEqual(chunk({ choices: [], sglext: { output_ids: [[3]] } }));
  });

  it('leaves nothing of a chunk that only carried ids', () => {
    expect(clientView(chunk({ choices: [], sglext: { input_ids: [1], output_ids: [[2]] } }), ALL, NAME)).toBeNull();
    expect(
      clientView(chunk({ choices: [], sglext: { input_ids: [1], output_ids: [[2]] }, usage: null }), ALL, NAME),
    ).toBeNull();
  });

  it.each([
    ['usage', { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }],
    ['an error', { error: { message: 'm' } }],
  ])('keeps a chunk of ids that also carries %s', (_what, fields) => {
    const view = clientView(chunk({ choices: [], sglext: { input_ids: [1] }, ...fields }), ALL, NAME);
    expect(view).toEqual(chunk({ choices: [], ...fields }));
  });

  it.each([
    ['no text', { content: '', reasoning_content: null }],
    ['no fields', {}],
    ['no calls', { content: null, tool_calls: [] }],
  ])('leaves nothing of a chunk of log-probs with %s in it', (_what, empty) => {
    expect(clientView(chunk(delta({ delta: empty, logprobs: LOG_PROBS })), ALL, NAME)).toBeNull();
  });

  it.each([
    ['a finish reason', { delta: {}, finish_reason: 'stop' }],
    ['a role', { delta: { role: 'assistant', content: '' } }],
    ['reasoning', { delta: { content: null, reasoning_content: 'hm' } }],
    ['a tool call', { delta: { tool_calls: [{ index: 0, function: { arguments: '' } }] } }],
    ['a whole message', { delta: undefined, message: { role: 'assistant', content: '' } }],
  ])('keeps a chunk of log-probs with %s in it', (_what, fields) => {
    const view = clientView(chunk(delta({ ...fields, logprobs: LOG_PROBS })), ALL, NAME);
    expect(view).toEqual(chunk(delta({ ...fields, logprobs: null })));
  });

  it('keeps an empty chunk of log-probs that carries the usage', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const view = clientView(chunk({ ...delta({ delta: {}, logprobs: LOG_PROBS }), usage }), ALL, NAME);
    expect(view).toEqual(chunk({ ...delta({ delta: {}, logprobs: null }), usage }));
  });

  it('takes out ids in the form of return_token_ids, in every choice', () => {
    const given = chunk({ ...delta({ token_ids: [3, 4], stop_reason: null }), prompt_token_ids: [1, 2] });
    expect(clientView(given, ALL, NAME)).toEqual(chunk(delta({ stop_reason: null })));
    expect(clientView(given, { ...ALL, tokenIds: false }, NAME)).toBe(given);
  });

  it('leaves nothing of a chunk that only carried such ids and their log-probs', () => {
    expect(clientView(chunk(delta({ delta: {}, logprobs: LOG_PROBS, token_ids: [3] })), ALL, NAME)).toBeNull();
  });

  it('does not change what it is given', () => {
    const given = chunk({ model: 'x', ...delta({ logprobs: LOG_PROBS, token_ids: [1] }), sglext: { input_ids: [1] } });
    const before = structuredClone(given);
    clientView(given, ALL, NAME);
    expect(given).toEqual(before);
  });
});
