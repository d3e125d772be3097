import { loadExperimentLibrary } from '../lib/project.mjs';
import { prototypeOf } from './prototype.mjs';

const QUARTERS = [0, 0.25, 0.5, 0.75];

/** Mean and deviation of a measure over the runs of a group. */
export function spread(group, measure) {
  return loadExperimentLibrary().spreadOf(group.runs.map(measure));
}

export const firstOf = (name) => (run) => run.scores[0][name];
export const lastOf = (name) => (run) => run.scores.at(-1)[name];
export const percent = (noise) => `${noise * 100} %`;

export function withSpread({ mean, deviation }) {
  return `${mean.toFixed(2)} ± ${deviation.toFixed(2)}`;
}

/** The mean curve of each group by quarters, its end with its spread, and what the prototype came to. */
export function curveTable(groups, { updates }) {
  const shownUpdates = [...new Set(QUARTERS.map((part) => Math.floor(part * updates)))];
  const heads = ['judge noise', 'method', ...shownUpdates.map((at) => (at === 0 ? 'before' : `after ${at}`))];
  heads.push(`**after ${updates}**`, 'prototype, after 16');
  const rows = groups.map((group) => {
    const shown = shownUpdates.map((at) => spread(group, ({ scores }) => scores[at].score).mean.toFixed(2));
    const known = prototypeOf(group);
    const end = `**${withSpread(spread(group, lastOf('score')))}**`;
    return [percent(group.noise), nameOf(group), ...shown, end, known === undefined ? '' : withSpread(known)];
  });
  return table(heads, rows);
}

/** The score of every run after its last update. */
export function runTable(groups) {
  const seeds = [...new Set(groups.flatMap(({ runs }) => runs.map(({ seed }) => seed)))].sort((a, b) => a - b);
  const rows = groups.map((group) => [
    percent(group.noise),
    nameOf(group),
    ...seeds.map((seed) => {
      const run = group.runs.find((each) => each.seed === seed);
      return run === undefined ? '' : `${run.scores[0].score.toFixed(2)} to ${lastOf('score')(run).toFixed(2)}`;
    }),
  ]);
  return table(['judge noise', 'method', ...seeds.map((seed) => `seed ${seed}`)], rows);
}

/** What a collapse would cost. */
export function healthTable(groups) {
  const { compareHealth } = loadExperimentLibrary();
  const heads = ['judge noise', 'method', 'right', 'as wanted', 'entropy, nats a token', 'runs that kept both'];
  const rows = groups.map((group) => {
    const change = (name) =>
      `${spread(group, firstOf(name)).mean.toFixed(2)} to ${withSpread(spread(group, lastOf(name)))}`;
    const kept = group.runs.filter(({ scores }) => {
      const { keepsRight, keepsEntropy } = compareHealth(scores[0], scores.at(-1));
      return keepsRight && keepsEntropy;
    });
    const names = ['right', 'preferred', 'entropy'];
    return [percent(group.noise), nameOf(group), ...names.map(change), `${kept.length} of ${group.runs.length}`];
  });
  return table(heads, rows);
}

/** What the trainer saw. */
export function trainingTable(groups) {
  const heads = [
    'judge noise',
    'method',
    'samples an update',
    'versions behind',
    'log-prob difference, first update',
    'later',
  ];
  const rows = groups.map((group) => {
    const meanOf = (name, show, updates = (all) => all) => {
      const values = group.runs.flatMap((run) => updates(run.updates).map((update) => update[name]));
      return values.length === 0 ? '' : show(loadExperimentLibrary().spreadOf(values).mean);
    };
    return [
      percent(group.noise),
      nameOf(group),
      meanOf('samples', (mean) => mean.toFixed(1)),
      meanOf('staleness', (mean) => mean.toFixed(2)),
      meanOf(
        'log_prob_difference',
        (mean) => mean.toPrecision(1),
        (all) => all.slice(0, 1),
      ),
      meanOf(
        'log_prob_difference',
        (mean) => mean.toPrecision(2),
        (all) => all.slice(1),
      ),
    ];
  });
  return table(heads, rows);
}

function nameOf({ method, distortion }) {
  return distortion === null ? method : `${method}, ${distortion.replace('-', ' ')}`;
}

function table(heads, rows) {
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
