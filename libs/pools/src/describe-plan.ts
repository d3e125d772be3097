import { showGpus } from './gpu-share';
import { POOL_NAMES, type Pool, type PoolPlan } from './pool-plan';

/** One process on its GPUs: an engine, or the trainer. */
interface Place {
  readonly name: string;
  readonly gpus: readonly number[];
  readonly serves: string;
  readonly tensorParallel: number;
}

const placesOf = ({ name, gpus, engines, tensorParallel }: Pool): Place[] => {
  if (name === 'trainer') return [{ name, gpus, serves: '-', tensorParallel }];
  const count = Math.max(1, engines.length, tensorParallel === 0 ? 0 : Math.floor(gpus.length / tensorParallel));
  return Array.from({ length: count }, (_, i) => ({
    name: count === 1 ? name : `${name}-${i + 1}`,
    gpus: gpus.slice(i * tensorParallel, (i + 1) * tensorParallel),
    serves: engines[i] ?? 'no URL configured',
    tensorParallel,
  }));
};

const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

const devices = ({ name, gpus }: Place): string => {
  const ids = gpus.map((gpu) => JSON.stringify(String(gpu))).join(', ');
  return `  ${name}: [{ driver: nvidia, device_ids: [${ids}], capabilities: [gpu] }]`;
};

/** The plan for people: a table, and what containers need to be started with. */
export const describePlan = (plan: PoolPlan): string => {
  const judge: Place = { name: 'prm', gpus: [], serves: "the policy's engine", tensorParallel: 0 };
  const places = POOL_NAMES.flatMap((name) => {
    const isGuest = name === 'prm' && plan.judgeSharesEngine && plan.pools.prm.gpus.length === 0;
    return isGuest ? [judge] : placesOf(plan.pools[name]);
  });
  const rows = places.map(({ name, gpus, serves, tensorParallel }) => [
    name,
    showGpus(gpus),
    tensorParallel === 0 ? '-' : String(tensorParallel),
    gpus.length === 0 ? '-' : gpus.join(','),
    serves,
  ]);
  return [
    ...table([['pool', 'GPUs', 'tensor parallel', 'CUDA_VISIBLE_DEVICES', 'engine'], ...rows]),
    '',
    'In a compose file, as deploy.resources.reservations.devices of the services:',
    ...places.filter(({ gpus }) => gpus.length > 0).map(devices),
  ].join('\n');
};
