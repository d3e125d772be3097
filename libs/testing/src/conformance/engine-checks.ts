import { asArray, asObject, asText, type JsonObject } from '../engine-double/json';
import { expectThat, skip, type ConformanceClient } from './client';

type Check = (client: ConformanceClient) => Promise<void>;
type Entry = [number | null, number, string | null];

const TEXT = 'The tide comes in twice a day, and the boats in the harbour rise with it.';

const health: Check = async (client) => {
  const reply = await client.request('/health');
  if (reply.status === 404) skip('/health is not offered');
  expectThat(reply.status === 200, `/health answered ${reply.status}`);
};

const modelInfo: Check = async (client) => {
  const info = await client.ok('/model_info');
  expectThat(typeof info.model_path === 'string', '/model_info has no model_path');
  expectThat(typeof info.weight_version === 'string', '/model_info has no weight_version');
};

const models: Check = async (client) => {
  const { data } = await client.ok('/v1/models');
  expectThat(asText(asObject(asArray(data)[0]).id) !== '', '/v1/models names no model');
};

const tokenizeRoundTrip: Check = async (client) => {
  for (const text of [TEXT, 'Grüße 日本 👩‍👩‍👧', '{"a": [1, 2]}\n\n  x']) {
    const back = await client.detokenize(await client.tokenize(text));
    expectThat(back.endsWith(text), `${JSON.stringify(text)} came back as ${JSON.stringify(back)}`);
  }
};

async function generate(client: ConformanceClient, params: JsonObject, fields: JsonObject): Promise<JsonObject> {
  return client.ok('/generate', { sampling_params: { temperature: 1, ...params }, return_logprob: true, ...fields });
}

const entriesOf = (answer: JsonObject, key: string): Entry[] => asArray(asObject(answer.meta_info)[key]) as Entry[];

const scored = async (client: ConformanceClient, ids: readonly number[], start: number): Promise<Entry[]> =>
  entriesOf(
    await generate(client, { max_new_tokens: 0 }, { input_ids: ids, logprob_start_len: start }),
    'input_token_logprobs',
  );

const generateOutput: Check = async (client) => {
  const answer = await generate(client, { max_new_tokens: 12 }, { text: TEXT });
  const entries = entriesOf(answer, 'output_token_logprobs');
  const ids = asArray(answer.output_ids);
  expectThat(ids.length > 0, 'no output ids came');
  expectThat(
    JSON.stringify(entries.map(([, id]) => id)) === JSON.stringify(ids),
    `output_token_logprobs has other ids than output_ids (${entries.length} and ${ids.length})`,
  );
  expectThat(
    entries.every(([logProb]) => logProb !== null && Number.isFinite(logProb) && logProb <= 0),
    'an output log-prob is not a number <= 0',
  );
  expectThat(typeof asObject(answer.meta_info).weight_version === 'string', 'meta_info has no weight_version');
};

const starts = (length: number): number[] => [0, 1, Math.floor(length / 2), length - 1];

const firstEntryNull: Check = async (client) => {
  const ids = await client.tokenize(TEXT);
  for (const start of starts(ids.length)) {
    const entries = await scored(client, ids, start);
    expectThat(entries[0]?.[0] === null, `entry 0 is ${String(entries[0]?.[0])} at logprob_start_len ${start}`);
    expectThat(
      entries.slice(1).every(([logProb]) => logProb !== null),
      `a later entry is null at logprob_start_len ${start}`,
    );
  }
};

const idsAligned: Check = async (client) => {
  const ids = await client.tokenize(TEXT);
  for (const start of starts(ids.length)) {
    const entries = await scored(client, ids, start);
    expectThat(
      JSON.stringify(entries.map(([, id]) => id)) === JSON.stringify(ids.slice(start)),
      `at logprob_start_len ${start}, entry k is not token ${start} + k`,
    );
  }
};

const scoringEqualsGeneration: Check = async (client) => {
  const prompt = await client.tokenize(TEXT);
  const answer = await generate(client, { max_new_tokens: 12 }, { input_ids: prompt });
  const output = asArray(answer.output_ids) as number[];
  const said = entriesOf(answer, 'output_token_logprobs').map(([logProb]) => logProb ?? NaN);
  const again = await scored(client, [...prompt, ...output], prompt.length - 1);
  expectThat(again.length === output.length + 1, `${again.length} entries for ${output.length} tokens`);
  said.forEach((logProb, at) => {
    const other = again[at + 1]?.[0] ?? NaN;
    const close = Math.abs(other - logProb) <= client.tolerance;
    expectThat(close, `token ${at}: generated with ${logProb}, scored with ${other}`);
  });
};

const generateStream: Check = async (client) => {
  const params = { temperature: 1, max_new_tokens: 12 };
  const events = await client.events('/generate', { text: TEXT, sampling_params: params, stream: true });
  const last = events.filter((event) => event !== '[DONE]').at(-1) ?? {};
  const reason = asObject(asObject(last.meta_info).finish_reason);
  expectThat(
    ['stop', 'length'].includes(asText(reason.type)),
    `the last event finishes with ${JSON.stringify(reason)}`,
  );
};

const abort: Check = async (client) => {
  const rid = `conformance-${Date.now()}`;
  const params = { temperature: 1, max_new_tokens: 1000, ignore_eos: true };
  const response = await client.fetch('/generate', { text: TEXT, sampling_params: params, rid, stream: true });
  if (response.status === 404) skip('/generate is not offered');
  const decoder = new TextDecoder();
  let text = '';
  let asked = false;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (!asked) await client.request('/abort_request', { rid });
    asked = true;
  }
  expectThat(
    text.includes('"type":"abort"') || text.includes('"type": "abort"'),
    'no finish reason "abort" after /abort_request',
  );
};

const pause: Check = async (client) => {
  if (!client.admin) skip('pausing disturbs others; ask for it with --admin');
  await client.ok('/pause_generation', { mode: 'in_place' });
  let settled = false;
  const waiting = client.chat({ max_tokens: 1 }).finally(() => {
    settled = true;
  });
  try {
    // Another round trip gives an engine that does not pause the time to answer.
    for (let look = 0; look < 20; look++) await client.request('/model_info');
    expectThat(!settled, 'a request was answered while generation was paused');
  } finally {
    await client.ok('/continue_generation', {});
    await waiting;
  }
};

/** Checks of SGLang's own API; a server without an endpoint skips its checks. */
export const ENGINE_CHECKS: readonly [string, Check][] = [
  ['health', health],
  ['models', models],
  ['model-info', modelInfo],
  ['tokenize-round-trip', tokenizeRoundTrip],
  ['generate-output', generateOutput],
  ['generate-first-entry-null', firstEntryNull],
  ['generate-ids-aligned', idsAligned],
  ['scoring-equals-generation', scoringEqualsGeneration],
  ['generate-stream', generateStream],
  ['abort', abort],
  ['pause', pause],
];
