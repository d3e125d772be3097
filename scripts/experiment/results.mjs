import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { format } from 'prettier';
import { Problem } from '../lib/problem.mjs';
import { loadExperimentLibrary } from '../lib/project.mjs';
import { groupRuns } from './groups.mjs';
import { page } from './page.mjs';
import { NOISES } from './plan.mjs';

const DIGITS = 4;
/** The trainer's numbers of an update that are published. */
const NUMBERS = [
  'samples',
  'staleness',
  'mean_score',
  'advantage_std',
  'gradient_norm',
  'entropy',
  'log_prob_difference',
];
const [NOISY, CONTROL] = ['7 4', '2 3'];
const METHOD_COLOURS = { binary: 0, opd: 2, hybrid: 1 };
const FIRST_CONTROL_COLOUR = 3;

/** Makes page, plot and data of all finished runs in a folder. */
export async function writeResults(folder, out) {
  const runs = readRuns(folder);
  if (runs.length === 0) throw new Problem(`${folder} has no finished run: npm run experiment`);
  const [{ setting }] = runs;
  const other = runs.find((run) => !isDeepStrictEqual(run.setting, setting));
  if (other !== undefined) throw new Problem(`${folder} has runs of another setting: ${JSON.stringify(other.setting)}`);
  const groups = groupRuns(runs);
  writeFileSync(join(out, 'experiment.json'), `[\n${runs.map((run) => JSON.stringify(run)).join(',\n')}\n]\n`);
  writeFileSync(join(out, 'experiment.svg'), plot(groups));
  const markdown = await format(page(groups, setting), { parser: 'markdown', printWidth: 120 });
  writeFileSync(join(out, 'experiment.md'), markdown);
  console.log(`\n${runs.length} runs are in ${join(out, 'experiment.md')}; plot and numbers are beside it.`);
}

/** To so many digits as can be told apart. */
function readRuns(folder) {
  const round = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'), round))
    .map((run) => ({ ...run, updates: run.updates.map(publishedOf) }));
}

function plot(groups) {
  const { meanCurve, svgChart } = loadExperimentLibrary();
  let controls = FIRST_CONTROL_COLOUR;
  const series = groups.map(({ method, noise, distortion, runs }) => ({
    name:
      distortion === null ? `${method}, judge noise ${noise * 100} %` : `${method}, ${distortion.replace('-', ' ')}`,
    values: meanCurve(runs.map(({ scores }) => scores.map(({ score }) => score))),
    colour: distortion === null ? METHOD_COLOURS[method] : controls++,
    ...(distortion !== null ? { dash: CONTROL } : noise !== NOISES[0] ? { dash: NOISY } : {}),
  }));
  return svgChart('Share of held-out questions answered right and as wanted, mean of the seeds', series);
}

function publishedOf(numbers) {
  return Object.fromEntries(NUMBERS.map((name) => [name, numbers[name]]));
}
