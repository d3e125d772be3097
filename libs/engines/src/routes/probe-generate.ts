import { type ChatMessage, isRecord } from '@app/chat';
import type { UpstreamClient } from '../upstream-client';
import { PROBE_NAME, refuseAborted } from './capture-route';

/** What a prompt is rendered from, in a chat request's own fields. */
export interface PromptToProbe {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>>;
}

/** Renders prompts as they would be sent to `/generate`. */
export interface ProbeRenderer {
  /** Whether the engine itself renders, by another way than its chat. */
  readonly isEngine: boolean;
  /** What speaks against reading answers here that the engine's chat reads with these parsers; null: nothing. */
  against(parsers: EngineParsers): string | null;
  /** @throws an error that says why it cannot */
  render(prompt: PromptToProbe): Promise<readonly number[]>;
}

/** Conversations that the engine's own chat has to render alike. */
const CONVERSATIONS: readonly PromptToProbe[] = [
  { messages: [{ role: 'user', content: 'Say yes.' }] },
  {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: ' Say “yes”, 请说。 ' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Again.\n' },
    ],
  },
];

/** What an older engine leaves out where it renders by another way than its chat. Here tools are not compared: engines print them in many ways. */
const OFTEN_LEFT_OUT: readonly PromptToProbe[] = [
  {
    messages: [{ role: 'user', content: 'Look.' }],
    tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }],
  },
  { messages: [{ role: 'user', content: 'Say yes.' }], chat_template_kwargs: { enable_thinking: false } },
];

const TIMEOUT_MS = 60_000;

type Json = Readonly<Record<string, unknown>>;

const readObject = (status: number, text: string): Json | null => {
  if (status !== 200) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
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
  { prompt, ids, isEngine }: { prompt: PromptToProbe; ids: readonly number[]; isEngine: boolean },
): Promise<boolean> => {
  const common = { ...(model === null ? {} : { model }), ...prompt };
  const tokenized = isEngine ? null : await post(engine, 'openai', '/tokenize', common);
  if (Array.isArray(tokenized?.tokens)) return sameIds(ids, tokenized.tokens);
  const chat = await post(engine, 'openai', '/chat/completions', { ...common, max_tokens: 1, user: PROBE_NAME });
  return isRecord(chat?.usage) && chat.usage.prompt_tokens === ids.length;
};

/** @throws EngineAnswerError where the engine let go of the answer */
const entriesOf = (answer: Json): readonly unknown[] => {
  const { output_token_logprobs: entries, finish_reason: finish } = isRecord(answer.meta_info) ? answer.meta_info : {};
  if (isRecord(finish)) refuseAborted(finish.type);
  return Array.isArray(entries) ? (entries as unknown[]) : [];
};

/** The parsers that an SGLang was started with, by its names; null where it does not say, or has none. */
export interface EngineParsers {
  readonly tools: string | null;
  readonly reasoning: string | null;
}

export const NO_PARSERS: EngineParsers = { tools: null, reasoning: null };

const nameOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Asks an engine for its parsers. */
export const readParsers = async (engine: UpstreamClient): Promise<EngineParsers> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await engine.request('GET', '/server_info', { api: 'engine', signal });
  const info = readObject(response.status, await response.body.text());
  return { tools: nameOf(info?.tool_call_parser), reasoning: nameOf(info?.reasoning_parser) };
};

/** null: prompts that are rendered here can be sent to the engine's `/generate`; else what stands against it. */
export const probeGenerate = async (
  engine: UpstreamClient,
  model: string | null,
  renderer: ProbeRenderer,
): Promise<string | null> => {
  const { isEngine } = renderer;
  const problem = renderer.against(await readParsers(engine));
  if (problem !== null) return problem;
  for (const prompt of isEngine ? [...CONVERSATIONS, ...OFTEN_LEFT_OUT] : CONVERSATIONS) {
    const ids = await renderer.render(prompt).catch((error: unknown) => (error instanceof Error ? error.message : ''));
    if (typeof ids === 'string') return `no prompt could be rendered: ${ids}`;
    const generated = await post(engine, 'engine', '/generate', {
      input_ids: ids,
      rid: PROBE_NAME,
      sampling_params: { max_new_tokens: 1 },
      return_logprob: true,
    });
    if (generated === null) return 'the engine has no /generate, or refuses the ids of the prompt';
    if (entriesOf(generated).length === 0) return 'no log-probs from /generate';
    if (!(await isRenderedAlike(engine, model, { prompt, ids, isEngine }))) {
      return `the engine's chat makes another prompt of the same messages than ${isEngine ? 'its /tokenize' : 'server.tokenizer'}`;
    }
  }
  return null;
};
