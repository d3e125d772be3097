import { createHash } from 'node:crypto';
import type { AnswerRule, EngineDouble } from '@app/testing';
import { TOOL_WORD } from './plan';

/** How long a token takes, so that kills find answers in the middle. */
const TOKEN_MS = 20;

let tokenMs = TOKEN_MS;

/** Answers that depend on the request alone: the same question asked again gets the same tokens. */
export const policyRule: AnswerRule = ({ role, lastText }) => {
  if (role !== 'policy') return undefined;
  const said = lastText.replace(/\s+/g, ' ').slice(0, 60);
  if (!lastText.includes(TOOL_WORD)) return { content: `You said: ${said}.`, delayMs: tokenMs };
  const id = `call_${createHash('sha256').update(lastText).digest('hex').slice(0, 12)}`;
  return { toolCalls: [{ id, name: 'exec', arguments: { command: said } }], delayMs: tokenMs };
};

/** What an engine answers to a request: the ids of prompt and answer, and one log-prob per answer id. */
export interface SentTokens {
  readonly tokens: readonly number[];
  readonly responseLength: number;
  readonly logProbs: readonly number[];
}

/** Asks the engine itself, past the whole system, what it sends for a request. */
export const askEngine = async (engine: EngineDouble, body: object): Promise<SentTokens> => {
  tokenMs = 0;
  try {
    const response = await fetch(`${engine.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...body,
        model: 'double',
        stream: false,
        stream_options: undefined,
        logprobs: true,
        return_input_ids_in_sglext: true,
        return_output_ids_in_sglext: true,
      }),
    });
    const answer = (await response.json()) as {
      choices: { logprobs: { content: { logprob: number }[] } }[];
      sglext: { input_ids: number[]; output_ids: number[][] };
    };
    const [output = []] = answer.sglext.output_ids;
    return {
      tokens: [...answer.sglext.input_ids, ...output],
      responseLength: output.length,
      logProbs: answer.choices[0]!.logprobs.content.map(({ logprob }) => logprob),
    };
  } finally {
    tokenMs = TOKEN_MS;
  }
};
