import { chat } from '../lib/chat-client.mjs';
import { MAX_TOKENS } from './sampling.mjs';

const AT_A_TIME = 16;
const FIRST_SEED = 10_000;

/** The answers to an exam's errands, each asked by itself, with the same seeds each time. */
export async function sitExam(gatewayUrl, errands, { temperature, signal }) {
  const answers = new Array(errands.length);
  const waiting = [...errands.keys()];
  const work = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const messages = [{ role: 'user', content: errands[at].request }];
      answers[at] = await chat(gatewayUrl, messages, {
        ...{ seed: FIRST_SEED + at, temperature, max_tokens: MAX_TOKENS },
        ...{ side: true, signal },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return answers;
}
