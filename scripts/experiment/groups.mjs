import { CONTROLS, METHODS, NOISES } from './plan.mjs';

/** Runs that differ by their seed alone, in the order of the page: methods by noise, then the controls. */
export function groupRuns(runs) {
  const noises = [...new Set([...NOISES, ...runs.map(({ noise }) => noise)])];
  const wanted = [
    ...noises.flatMap((noise) => METHODS.map((method) => ({ method, noise, distortion: null }))),
    ...CONTROLS.map(({ method, distortion }) => ({ method, noise: NOISES[0], distortion })),
  ];
  return wanted
    .map((group) => ({ ...group, runs: runs.filter((run) => isOf(run, group)).sort((a, b) => a.seed - b.seed) }))
    .filter(({ runs: found }) => found.length > 0);
}

/** Of two groups, the pairs of runs with the same seed. */
export function pairRuns(one, other) {
  return one.runs.flatMap((run) => {
    const match = other.runs.find(({ seed }) => seed === run.seed);
    return match === undefined ? [] : [[run, match]];
  });
}

export function findGroup(groups, { method, noise, distortion = null }) {
  return groups.find((group) => isOf(group, { method, noise, distortion }));
}

function isOf(run, { method, noise, distortion }) {
  return run.method === method && run.noise === noise && run.distortion === distortion;
}
