import { sampling, tokenBudget } from './chat-request';
import type { Engine, Job } from './engine';
import type { Exchange } from './exchange';
import { generate, scoreIds } from './generation';
import { asArray, asNumber } from './json';
import { refuseByScript } from './refuse-by-script';

/** POST /v1/completions of a vLLM, whole answers for prompts of token ids: enough to generate and to score. */
export async function completionsEndpoint(engine: Engine, exchange: Exchange, job: Job): Promise<void> {
  const { body } = exchange;
  const promptIds = asArray(body.prompt) as number[];
  const budget = tokenBudget(promptIds.length, asNumber(body.max_tokens) ?? 16, engine.settings.contextLength);
  const answer = engine.playbook.take(exchange.seen);
  if (await refuseByScript(exchange, job, answer)) return;
  const limits = sampling(body, budget, engine.settings);
  const steps: { id: number; logProb: number }[] = [];
  const generation = generate(engine, { job, promptIds, sampling: limits, answer, topCount: 0 });
  for (let next = await generation.next(); !next.done; next = await generation.next()) steps.push(next.value);

  const ids = steps.map(({ id }) => id);
  const scored = scoreIds(engine, promptIds, 0).map((row, at) => {
    const id = promptIds[at] ?? 0;
    return row === null ? null : { [String(id)]: { logprob: row[id], rank: 1, decoded_token: '' } };
  });
  const choice = {
    index: 0,
    text: '',
    finish_reason: 'length',
    logprobs: body.logprobs === undefined ? null : { token_logprobs: steps.map(({ logProb }) => logProb) },
    ...(body.return_token_ids === true && engine.settings.tokenIds && { token_ids: ids, prompt_token_ids: promptIds }),
    prompt_logprobs: body.prompt_logprobs === undefined ? null : scored,
  };
  exchange.json(200, { id: job.rid, object: 'text_completion', choices: [choice] });
}
