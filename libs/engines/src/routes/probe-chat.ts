import { extractLogProbs, isRecord } from '@app/chat';
import type { UpstreamClient } from '../upstream-client';
import { ASKING, PROBE_NAME, refuseAborted } from './capture-route';

/** `'works'`, or what is missing. null: the engine did not serve at all, so nothing is known. */
export type ChatProbe = { readonly works: true } | { readonly works: false; readonly why: string } | null;

const TOKENS = 4;
const TIMEOUT_MS = 60_000;

type Json = Readonly<Record<string, unknown>>;

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Numbers that Python servers print and JSON does not have. */
const NON_NUMBER = /-?\bInfinity\b|\bNaN\b/g;

/** The chunks of a stream; what is no JSON object is left out. */
const chunksOf = (stream: string): Json[] =>
  stream
    .replace(NON_NUMBER, 'null')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line.slice(5));
        return isRecord(value) ? [value] : [];
      } catch {
        return [];
      }
    });

interface Counted {
  prompt: number;
  response: number;
  logProbs: number;
}

const countChunk = (counted: Counted, chunk: Json): Counted => {
  const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
  if (isRecord(choice)) refuseAborted(choice.finish_reason);
  const extension = isRecord(chunk.sglext) ? chunk.sglext : {};
  const [outputIds] = Array.isArray(extension.output_ids) ? (extension.output_ids as unknown[]) : [];
  return {
    prompt: counted.prompt + lengthOf(extension.input_ids) + lengthOf(chunk.prompt_token_ids),
    response: counted.response + lengthOf(outputIds) + lengthOf(isRecord(choice) ? choice.token_ids : null),
    logProbs: counted.logProbs + extractLogProbs(choice).length,
  };
};

const judge = ({ prompt, response, logProbs }: Counted): ChatProbe => {
  if (prompt === 0 && response === 0) return { works: false, why: 'no ids in its streams' };
  if (prompt === 0) return { works: false, why: 'no prompt ids in its streams' };
  if (response === 0) return { works: false, why: 'no response ids in its streams' };
  if (logProbs !== response) return { works: false, why: `${logProbs} log-probs for ${response} response ids` };
  return { works: true };
};

const ask = async (
  engine: UpstreamClient,
  model: string | null,
  fields: Json,
): Promise<{ status: number; text: string }> => {
  const response = await engine.request('POST', '/chat/completions', {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    body: JSON.stringify({
      ...(model === null ? {} : { model }),
      messages: [{ role: 'user', content: 'Say yes.' }],
      max_tokens: TOKENS,
      stream: true,
      user: PROBE_NAME,
      ...fields,
    }),
  });
  return { status: response.status, text: await response.body.text() };
};

/**
 * Asks for a few tokens the way a route would, streamed, and counts what comes. An engine that refuses is asked once more
 * without the route's fields, since it may be refusing everything.
 *
 * @throws EngineAnswerError where the engine let go of the answer
 */
export const probeChat = async (
  engine: UpstreamClient,
  model: string | null,
  route: keyof typeof ASKING,
): Promise<ChatProbe> => {
  const { status, text } = await ask(engine, model, { ...ASKING[route], logprobs: true });
  if (status === 200) return judge(chunksOf(text).reduce(countChunk, { prompt: 0, response: 0, logProbs: 0 }));
  const plain = await ask(engine, model, {});
  return plain.status === 200 ? { works: false, why: `refused with status ${status}` } : null;
};
