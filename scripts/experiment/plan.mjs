export const METHODS = ['binary', 'opd', 'hybrid'];
export const NOISES = [0.04, 0.2];
/** Seeds of people, exam, sampling and judge's noise. Nothing was chosen by them: the demo's are 1 to 3. */
export const SEEDS = [101, 102, 103, 104, 105];

/** Each control distorts the signal that its method has nothing else than. */
export const CONTROLS = [
  { distortion: 'shuffled-rewards', method: 'binary' },
  { distortion: 'late-policy', method: 'opd' },
  { distortion: 'late-teacher', method: 'opd' },
];

/** The runs that are asked for, seed by seed, so that an early end leaves whole comparisons. */
export function planRuns({ methods, noises, seeds, controls }) {
  return seeds.flatMap((seed) => [
    ...noises.flatMap((noise) => methods.map((method) => ({ method, noise, distortion: null, seed }))),
    ...controls.map(({ distortion, method }) => ({ method, noise: NOISES[0], distortion, seed })),
  ]);
}

export function nameOf({ method, noise, distortion, seed }) {
  return [method, `noise-${noise * 100}`, ...(distortion === null ? [] : [distortion]), `seed-${seed}`].join('_');
}
