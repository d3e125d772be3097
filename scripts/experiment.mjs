import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { scoreLine } from './demo/screen.mjs';
import { CONTROLS, METHODS, nameOf, NOISES, planRuns, SEEDS } from './experiment/plan.mjs';
import { runOnce, SETTING } from './experiment/run-one.mjs';
import { writeResults } from './experiment/results.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { root } from './lib/project.mjs';

const HELP = `Lets the pocket model learn by each method, with each seed and each noise of the judge, through the whole stack; and by distorted
signals, from which it must not learn. A finished run is kept and not repeated. At the end the results of all
runs that are there become docs/experiment.md, docs/experiment.svg and docs/experiment.json.

npm run experiment -- [options]
  --methods LIST   of ${METHODS.join(', ')} (default all)
  --noise LIST     shares of turns that the judge misreads (default ${NOISES.join(',')})
  --seeds LIST     (default ${SEEDS.join(',')})
  --controls LIST  of ${CONTROLS.map(({ distortion }) => distortion).join(', ')}; or none (default all)
  --updates N      weight updates of a run (default ${SETTING.updates})
  --people N       who talk at a time: with 1, samples are hardly ever behind (default ${SETTING.people})
  --results        run nothing, write the results of what is there
  --runs PATH      folder of the finished runs (default .openclaw-rl/experiment)
  --out PATH       folder of the results (default docs)
  --help           this text`;

const MS = 1000;

await runScript(async () => {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  await ensureInstalled();
  await ensureBuilt();
  for (const folder of [options.runs, options.out]) mkdirSync(folder, { recursive: true });
  const setting = { ...SETTING, updates: options.updates, people: options.people };
  if (!options.results) await runAll(planRuns(options), { setting, folder: options.runs });
  await writeResults(options.runs, options.out);
});

function readOptions() {
  const { values } = parse();
  if (values.help) return null;
  const chosen = (name, known) => {
    const list = values[name].split(',');
    const strange = list.find((each) => !known.includes(each));
    if (strange === undefined) return list;
    throw new Problem(`--${name} has ${JSON.stringify(strange)}; allowed: ${known.join(', ')}`);
  };
  const numbers = (name, isAllowed, allowed) => {
    const list = values[name].split(',').map(Number);
    if (list.every(isAllowed)) return list;
    throw new Problem(`--${name} is ${JSON.stringify(values[name])}; allowed: ${allowed}`);
  };
  const isWhole = (value) => Number.isInteger(value) && value >= 1 && value <= 1_000_000;
  const whole = 'a whole number from 1 to 1000000';
  const distortions = chosen('controls', ['none', ...CONTROLS.map(({ distortion }) => distortion)]);
  return {
    methods: chosen('methods', METHODS),
    noises: numbers('noise', (share) => share >= 0 && share <= 1, 'numbers from 0 to 1'),
    seeds: numbers('seeds', isWhole, whole),
    updates: numbers('updates', isWhole, whole)[0],
    people: numbers('people', isWhole, whole)[0],
    controls: CONTROLS.filter(({ distortion }) => distortions.includes(distortion)),
    results: values.results,
    runs: resolve(root, values.runs),
    out: resolve(root, values.out),
  };
}

function parse() {
  try {
    return parseArgs({
      options: {
        methods: { type: 'string', default: METHODS.join(',') },
        noise: { type: 'string', default: NOISES.join(',') },
        seeds: { type: 'string', default: SEEDS.join(',') },
        controls: { type: 'string', default: CONTROLS.map(({ distortion }) => distortion).join(',') },
        updates: { type: 'string', default: String(SETTING.updates) },
        people: { type: 'string', default: String(SETTING.people) },
        runs: { type: 'string', default: '.openclaw-rl/experiment' },
        results: { type: 'boolean', default: false },
        out: { type: 'string', default: 'docs' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}

async function runAll(runs, { setting, folder }) {
  for (const [at, run] of runs.entries()) {
    const name = nameOf(run);
    const file = join(folder, `${name}.json`);
    if (existsSync(file)) {
      requireSameSetting(file, setting);
      continue;
    }
    console.log(`\n${at + 1} of ${runs.length}: ${name}`);
    const startedAt = performance.now();
    const onScore = (update, score) => console.log(scoreLine(update, setting.updates, score));
    const found = await runOnce(run, setting, { onScore });
    const seconds = Math.round((performance.now() - startedAt) / MS);
    // There whole or not at all.
    writeFileSync(`${file}.part`, `${JSON.stringify({ ...run, setting, seconds, ...found })}\n`);
    renameSync(`${file}.part`, file);
  }
}

function requireSameSetting(file, setting) {
  const { setting: other } = JSON.parse(readFileSync(file, 'utf8'));
  if (isDeepStrictEqual(other, setting)) return;
  throw new Problem(`${file} is of another setting, ${JSON.stringify(other)}: remove it, or name another --runs`);
}
