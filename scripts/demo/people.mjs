import { loadExperimentLibrary, loadPocketLibrary } from '../lib/project.mjs';
import { chat } from '../lib/chat-client.mjs';
import { MAX_TOKENS } from './sampling.mjs';

const SEEDS_A_SESSION = 100;

/**
 * Simulated people at the gateway, `count` of them at a time, one session after the other until `signal`. `mayTalk` is waited
 * for before each word; `heard` is told each word and whether it followed an answer.
 */
export async function letPeopleTalk({ gatewayUrl, count, seed, temperature, mayTalk, heard, signal }) {
  const { Session, ROLES } = loadExperimentLibrary();
  const { seededRandom } = loadPocketLibrary();
  let sessions = 0;
  const talk = async () => {
    while (!signal.aborted) {
      const number = (sessions += 1);
      const first = (seed * 1_000_003 + number) * SEEDS_A_SESSION;
      const session = new Session(ROLES[number % ROLES.length], seededRandom(first));
      const messages = [];
      for (let word = session.opening; word !== null; word = session.react(messages.at(-1).content)) {
        await mayTalk();
        heard({ role: session.role, word, follows: messages.length > 0 });
        messages.push({ role: 'user', content: word });
        const sampling = { seed: (first + messages.length) >>> 0, temperature, max_tokens: MAX_TOKENS };
        const content = await chat(gatewayUrl, messages, { ...sampling, signal });
        messages.push({ role: 'assistant', content });
      }
    }
  };
  await Promise.all(Array.from({ length: count }, talk));
}
