import { complete } from '../lib/chat-client.mjs';
import { MAX_TOKENS } from './sampling.mjs';

const AT_A_TIME = 16;
const FIRST_SEED = 10_000;

/**
 * The answers to an exam's errands, each asked by itself, with the same seeds each time; and the entropy of the policy along
 * them, in nats a token, as their tokens' log-probs (at temperature 1) estimate it.
 */
export async function sitExam(gatewayUrl, errands, { temperature, signal }) {
  const answers = new Array(errands.length);
  const logProbs = new Array(errands.length);
  const waiting = [...errands.keys()];
  const work = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const messages = [{ role: 'user', content: errands[at].request }];
      const { message, logprobs } = await complete(gatewayUrl, messages, {
        ...{ seed: FIRST_SEED + at, temperature, max_tokens: MAX_TOKENS, logprobs: true },
        ...{ side: true, signal },
      });
      answers[at] = message.content ?? '';
      logProbs[at] = logprobs.content.map(({ logprob }) => logprob);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const all = logProbs.flat();
  return { answers, entropy: -all.reduce((sum, value) => sum + value, 0) / Math.max(1, all.length) };
}
