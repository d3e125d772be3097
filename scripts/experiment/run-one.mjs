import { learn } from '../demo/learning.mjs';
import { inRounds } from '../demo/paces.mjs';
import { TEMPERATURE } from '../demo/sampling.mjs';
import { doorStats } from '../lib/chat-client.mjs';
import { loadExperimentLibrary } from '../lib/project.mjs';
import { withQuietSupervisor } from '../lib/quiet-stack.mjs';
import { startRunStack } from './stack.mjs';

/** What is the same in all runs. `training`: the prototype's numbers where they are not the defaults. */
export const SETTING = {
  updates: 16,
  turns: 16,
  people: 8,
  questions: 300,
  glance: 60,
  temperature: TEMPERATURE,
  training: { reduction: 'token_sum', kl_coefficient: 0 },
};

/**
 * One run through the whole stack. Returns its scores before and after each update, the trainer's numbers of each update, and
 * what became of the turns.
 */
export async function runOnce(run, setting, { onScore }) {
  const { updates, turns, people, questions, glance, temperature, training } = setting;
  const { seed } = run;
  let found;
  await withQuietSupervisor('experiment', async ({ folder, supervisor, signal }) => {
    const stack = await startRunStack(supervisor, { ...run, folder, turns, training });
    try {
      const { gatewayUrl, doorUrl } = stack;
      const exam = loadExperimentLibrary().drawExam(seed, questions);
      const scores = await learn({
        ...{ gatewayUrl, doorUrl, updates, seed, temperature, exam, glance, signal },
        ...{ pace: inRounds(turns, people), onLook: () => undefined, onScore },
      });
      const { outcomes, signals } = await doorStats(doorUrl);
      found = { scores, updates: stack.updates.slice(0, updates), outcomes, signals };
    } finally {
      stack.close();
    }
  });
  return found;
}
