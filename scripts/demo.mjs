import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sitExam } from './demo/exam.mjs';
import { learn, LEARNING_SETTINGS } from './demo/learning.mjs';
import { FREE, LOCKSTEP } from './demo/paces.mjs';
import { TEMPERATURE } from './demo/sampling.mjs';
import { answersLines, collapseLine, progressLine, scoreLine, Screen } from './demo/screen.mjs';
import { VoteCount } from './demo/votes.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { loadExperimentLibrary, root } from './lib/project.mjs';
import { startQuietStack, withQuietSupervisor } from './lib/quiet-stack.mjs';

const HELP = `Simulated people talk to the pocket model through the whole stack, and it gets better: students who do not want to be caught
using AI, teachers who want friendly, specific comments. The score is the share of answers to questions that nobody has asked
that are right and as wanted.

npm run demo -- [options]
  --updates N   weight updates (default 16)
  --seed N      of the people, the exam and the sampling (default 1)
  --lockstep    one word at a time, and everybody waits for updates: the same curve each time
  --out PATH    folder of the curve and the records (default .openclaw-rl/demo)
  --help        this text`;

/** Of the whole exam, and of those after each update. */
const [QUESTIONS, GLANCE] = [300, 100];
const SHOWN_QUESTIONS = 3;
const MS = 1000;

await runScript(async () => {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  await ensureInstalled();
  await ensureBuilt();
  await withQuietSupervisor('demo', (context) => demonstrate({ ...context, ...options }));
});

function readOptions() {
  const { values } = parse();
  if (values.help) return null;
  const whole = (name, most) => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new Problem(`--${name} is ${JSON.stringify(values[name])}; allowed: a whole number from 1 to ${most}`);
  };
  return {
    updates: whole('updates', 1000),
    seed: whole('seed', 1_000_000),
    lockstep: values.lockstep,
    out: resolve(root, values.out),
  };
}

function parse() {
  try {
    return parseArgs({
      options: {
        updates: { type: 'string', default: '16' },
        seed: { type: 'string', default: '1' },
        lockstep: { type: 'boolean', default: false },
        out: { type: 'string', default: '.openclaw-rl/demo' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}

async function demonstrate({ folder, supervisor, signal, updates, seed, lockstep, out }) {
  const screen = new Screen();
  const { drawExam, textChart, svgChart } = loadExperimentLibrary();
  const recordsDir = join(out, 'records');
  rmSync(recordsDir, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  screen.say('Starting the stack with the pocket model, its judge, its teacher and its trainer ...');
  const { gatewayUrl, doorUrl } = await startQuietStack(supervisor, {
    folder,
    recordsDir,
    settings: LEARNING_SETTINGS,
  });
  const exam = drawExam(seed, QUESTIONS);
  const shown = drawExam(seed + 1, SHOWN_QUESTIONS);
  const ask = async () => (await sitExam(gatewayUrl, shown, { temperature: 0, signal })).answers;
  const before = await ask();
  screen.say(`People talk to it; every 16 samples become new weights. Conversations are written to ${recordsDir}`);
  const startedAt = performance.now();
  const votes = new VoteCount(recordsDir);
  const scores = await learn({
    ...{ gatewayUrl, doorUrl, updates, seed, temperature: TEMPERATURE, exam, glance: GLANCE, signal },
    pace: lockstep ? LOCKSTEP : FREE,
    onLook: ({ stats, said, scores: sofar }) => {
      const done = sofar.length - 1;
      const seconds = (performance.now() - startedAt) / MS;
      const secondsLeft = done === 0 ? null : (seconds / done) * (updates - done);
      const { waiting: samples, size } = stats.batch;
      screen.show(progressLine({ samples, size, votes: votes.recent(), score: sofar.at(-1).score, secondsLeft, said }));
    },
    onScore: (update, score) => screen.say(scoreLine(update, updates, score)),
  });
  const after = await ask();
  screen.clear();
  shown.forEach((errand, at) => screen.say(answersLines(errand, before[at], after[at])));
  const values = scores.map(({ score }) => score);
  screen.say(`\nScore by weight updates\n${textChart(values)}\n`);
  const title = 'Share of held-out questions answered right and as wanted';
  writeFileSync(join(out, 'score.svg'), svgChart(title, [{ name: 'hybrid', values }]));
  writeFileSync(join(out, 'score.json'), `${JSON.stringify({ seed, updates, lockstep, scores }, null, 2)}\n`);
  const { good, bad, neutral, hints } = votes.now();
  screen.say(
    `From ${values[0].toFixed(2)} to ${values.at(-1).toFixed(2)}; votes +1: ${good}, -1: ${bad}, 0: ${neutral}; hints: ${hints}.`,
  );
  screen.say(collapseLine(scores[0], scores.at(-1)));
  screen.say(`The chart is ${join(out, 'score.svg')}, the numbers are beside it.`);
}
