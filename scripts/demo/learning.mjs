import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../lib/problem.mjs';
import { loadExperimentLibrary } from '../lib/project.mjs';
import { doorStats } from '../lib/chat-client.mjs';
import { sitExam } from './exam.mjs';
import { letPeopleTalk } from './people.mjs';

const LOOK_EVERY_MS = 30;
/** The longest that an update or, in lockstep, a turn may take. */
const LONGEST_MS = 600_000;

/** Settings of the stack: those of docs/trainers.md, with hints. */
export const LEARNING_SETTINGS = { OPENCLAW_RL_RL_ALGORITHM: 'hybrid' };

/**
 * Lets people talk to the stack until its policy has been updated so often, and takes the exam before and after each update:
 * all of it at the beginning and the end, the first `glance` questions between. `pace` (paces.mjs) says how many people talk, and when.
 * `onLook` is told the door's progress and the last word; `onScore` each score.
 */
export async function learn({
  gatewayUrl,
  doorUrl,
  updates,
  seed,
  temperature,
  exam,
  glance,
  pace,
  onLook,
  onScore,
  signal,
}) {
  const { gradeExam } = loadExperimentLibrary();
  const stopped = new AbortController();
  const both = AbortSignal.any([signal, stopped.signal]);
  const scores = [];
  let isExam = true;
  const takeExam = async () => {
    isExam = true;
    const errands = scores.length === 0 || scores.length === updates ? exam : exam.slice(0, glance);
    const { answers, entropy } = await sitExam(gatewayUrl, errands, { temperature, signal: both });
    scores.push({ ...gradeExam(errands, answers), entropy });
    isExam = false;
    onScore(scores.length - 1, scores.at(-1));
  };
  await takeExam();
  let said = null;
  let followed = 0;
  const mayTalk = () =>
    until('the verdict on an answer', both, async () => {
      if (isExam) return false;
      if (pace.mayTalk === null) return true;
      const stats = await doorStats(doorUrl);
      return stats !== null && !isExam && pace.mayTalk({ stats, followed, updates: scores.length - 1 });
    });
  const heard = (what) => {
    said = what;
    if (what.follows) followed += 1;
  };
  const options = { gatewayUrl, seed, temperature, count: pace.people, mayTalk, heard, signal: both };
  const talking = letPeopleTalk(options);
  const following = (async () => {
    while (scores.length <= updates) {
      await until(`update ${scores.length}`, both, async () => {
        const stats = await doorStats(doorUrl);
        if (stats !== null) onLook({ stats, said, scores });
        return stats !== null && stats.policy_version >= scores.length;
      });
      await takeExam();
    }
  })();
  try {
    await Promise.race([following, talking]);
  } finally {
    stopped.abort();
    await Promise.allSettled([following, talking]);
  }
  return scores;
}

async function until(what, signal, isSo) {
  const deadline = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Problem(`${what} did not come within ${LONGEST_MS / 1000} s`);
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}
