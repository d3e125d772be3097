import { ServerSettings } from '@app/config';
import type { CaptureRoute } from '@app/contracts';
import { NO_ADDITIONS } from './client-view';
import { parseChatRequest } from './parse-request';
import { additionsFor, samplingOf, upstreamBody } from './upstream-request';

const defaults = (values: Partial<ServerSettings> = {}): ServerSettings => Object.assign(new ServerSettings(), values);

const send = (
  text: string,
  options: { model?: string | null; plain?: boolean; route?: CaptureRoute; defaults?: ServerSettings } = {},
): string => {
  const request = parseChatRequest(Buffer.from(text));
  return upstreamBody(request, {
    additions: options.plain === true ? NO_ADDITIONS : additionsFor(request, options.route ?? 'sglext'),
    model: options.model ?? null,
    defaults: options.defaults ?? defaults(),
  }).toString();
};

const MESSAGES = '"messages":[{"role":"user","content":"h\\u0069"}]';
const OURS = '"logprobs":true,"return_input_ids_in_sglext":true,"return_output_ids_in_sglext":true';

describe('upstreamBody', () => {
  it('adds what capture needs and leaves every byte of the client’s own', () => {
    expect(send(`{ "seed": 12345678901234567890,\n ${MESSAGES}, "top_k" :1.0}`)).toBe(
      `{"seed": 12345678901234567890,${MESSAGES},"top_k" :1.0,${OURS}}`,
    );
  });

  it('takes out the fields that are ours alone', () => {
    const ours = '"session_id":"s","turn_type":"main","session_done":true';
    expect(send(`{${ours},${MESSAGES},"x_unknown":{"session_id":1}}`, { plain: true })).toBe(
      `{${MESSAGES},"x_unknown":{"session_id":1}}`,
    );
  });

  it('says the upstream’s name of the model, also for a client that names none', () => {
    expect(send(`{"model":"openclaw-rl",${MESSAGES}}`, { plain: true, model: 'qwen' })).toBe(
      `{${MESSAGES},"model":"qwen"}`,
    );
    expect(send(`{${MESSAGES}}`, { plain: true, model: 'qwen' })).toBe(`{${MESSAGES},"model":"qwen"}`);
  });

  it('leaves the client’s name while the upstream’s is not known', () => {
    expect(send(`{"model":"m",${MESSAGES}}`, { plain: true })).toBe(`{"model":"m",${MESSAGES}}`);
  });

  it('fills in configured sampling only where the client names none', () => {
    const configured = defaults({ temperature: 0.6, topP: 0.9, topK: 20 });
    expect(send(`{${MESSAGES},"temperature":0,"top_p":null}`, { plain: true, defaults: configured })).toBe(
      `{${MESSAGES},"temperature":0,"top_p":0.9,"top_k":20}`,
    );
  });

  it('asks again for nothing that the client asks for itself', () => {
    const own = '"logprobs":true,"top_logprobs":3,"return_output_ids_in_sglext":true';
    expect(send(`{${MESSAGES},${own}}`)).toBe(`{${MESSAGES},${own},"return_input_ids_in_sglext":true}`);
  });

  it('asks a route by return_token_ids in its own words, and nothing on a route without ids', () => {
    expect(send(`{${MESSAGES}}`, { route: 'token_ids' })).toBe(`{${MESSAGES},"logprobs":true,"return_token_ids":true}`);
    const own = '"return_token_ids":true';
    expect(send(`{${MESSAGES},${own}}`, { route: 'token_ids' })).toBe(`{${MESSAGES},${own},"logprobs":true}`);
    expect(send(`{${MESSAGES}}`, { route: 'text' })).toBe(`{${MESSAGES}}`);
  });

  it('asks although the client says explicitly that it wants none', () => {
    expect(send(`{${MESSAGES},"logprobs":false}`)).toBe(`{${MESSAGES},${OURS}}`);
  });
});

describe('additionsFor', () => {
  const additions = (fields: Record<string, unknown>): ReturnType<typeof additionsFor> =>
    additionsFor(parseChatRequest(Buffer.from(JSON.stringify({ messages: [{ role: 'user' }], ...fields }))), 'sglext');

  it.each([
    ['a stock request', {}, { logprobs: true, inputIds: true, outputIds: true }],
    ['log-probs wanted', { logprobs: true }, { logprobs: false, inputIds: true, outputIds: true }],
    ['prompt ids wanted', { return_input_ids_in_sglext: true }, { logprobs: true, inputIds: false, outputIds: true }],
    [
      'response ids wanted',
      { return_output_ids_in_sglext: true },
      { logprobs: true, inputIds: true, outputIds: false },
    ],
    ['several choices, which make no sample', { n: 2 }, NO_ADDITIONS],
  ])('%s', (_what, fields, expected) => {
    expect(additions(fields)).toEqual({ ...NO_ADDITIONS, ...expected });
  });
});

describe('samplingOf', () => {
  const sampling = (fields: Record<string, unknown>, settings: ServerSettings): ReturnType<typeof samplingOf> =>
    samplingOf(parseChatRequest(Buffer.from(JSON.stringify({ messages: [{ role: 'user' }], ...fields }))), settings);

  it('is the client’s word, else the configured default, else not known', () => {
    const configured = defaults({ topP: 0.9 });
    expect(sampling({ temperature: 0 }, configured)).toEqual({ temperature: 0, topP: 0.9, topK: null });
    expect(sampling({ top_p: 1, top_k: -1 }, configured)).toEqual({ temperature: null, topP: 1, topK: -1 });
  });
});
