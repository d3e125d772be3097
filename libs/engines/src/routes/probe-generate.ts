import type { ChatMessage } from '@app/chat';
import type { UpstreamClient } from '../upstream-client';
import { PROBE_NAME } from './capture-route';

/** Renders prompts here, as they would be sent to `/generate`. */
export interface ProbeRenderer {
  /** @throws an error that says why it cannot */
  render(messages: readonly ChatMessage[]): Promise<readonly number[]>;
}

/** Conversations that the engine's own chat has to render alike; without tools, which engines print in many ways. */
const CONVERSATIONS: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: 'Say yes.' }],
  [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: ' Say “yes”, 请说。 ' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'Again.\n' },
  ],
];

const TIMEOUT_MS = 60_000;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readObject = (status: number, text: string): Json | null => {
  if (status !== 200) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};

/** A server's answer, null for an error or for what is no JSON object. */
const post = async (
  engine: UpstreamClient,
  api: 'openai' | 'engine',
  path: string,
  body: Json,
): Promise<Json | null> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await engine.request('POST', path, { api, body: JSON.stringify(body), signal });
  return readObject(response.status, await response.body.text());
};

const sameIds = (a: readonly number[], b: unknown): boolean =>
  Array.isArray(b) && a.length === b.length && a.every((id, i) => id === b[i]);

/** Whether the engine's chat makes the same prompt; by its ids where it tells them, else by their number. */
const isRenderedAlike = async (
  engine: UpstreamClient,
  model: string | null,
  { messages, ids }: { messages: readonly ChatMessage[]; ids: readonly number[] },
): Promise<boolean> => {
  const common = { ...(model === null ? {} : { model }), messages };
  const tokenized = await post(engine, 'openai', '/tokenize', common);
  if (Array.isArray(tokenized?.tokens)) return sameIds(ids, tokenized.tokens);
  const chat = await post(engine, 'openai', '/chat/completions', { ...common, max_tokens: 1, user: PROBE_NAME });
  return isObject(chat?.usage) && chat.usage.prompt_tokens === ids.length;
};

const entriesOf = (answer: Json | null): readonly unknown[] => {
  const entries = isObject(answer?.meta_info) ? answer.meta_info.output_token_logprobs : null;
  return Array.isArray(entries) ? (entries as unknown[]) : [];
};

/** null: prompts that are rendered here can be sent to the engine's `/generate`; else what stands against it. */
export const probeGenerate = async (
  engine: UpstreamClient,
  model: string | null,
  renderer: ProbeRenderer,
): Promise<string | null> => {
  for (const messages of CONVERSATIONS) {
    const ids = await renderer
      .render(messages)
      .catch((error: unknown) => (error instanceof Error ? error.message : ''));
    if (typeof ids === 'string') return `no prompt could be rendered: ${ids}`;
    const generated = await post(engine, 'engine', '/generate', {
      input_ids: ids,
      rid: PROBE_NAME,
      sampling_params: { max_new_tokens: 1 },
      return_logprob: true,
    });
    if (generated === null) return 'the engine has no /generate, or refuses the ids of server.tokenizer';
    if (entriesOf(generated).length === 0) return 'no log-probs from /generate';
    if (!(await isRenderedAlike(engine, model, { messages, ids }))) {
      return 'the engine makes another prompt of the same messages than server.tokenizer';
    }
  }
  return null;
};

/** The tool-call parser that an SGLang was started with; null where it does not say. */
export const readToolParser = async (engine: UpstreamClient): Promise<string | null> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await engine.request('GET', '/server_info', { api: 'engine', signal });
  const info = readObject(response.status, await response.body.text());
  return typeof info?.tool_call_parser === 'string' ? info.tool_call_parser : null;
};
