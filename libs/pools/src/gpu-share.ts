import type { GpuShare } from '@app/config';

/** The GPUs that a text such as `0-3,6` names, ascending, each once. */
export const gpusNamed = (text: string): number[] => {
  const named = text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  });
  return [...new Set(named)].sort((a, b) => a - b);
};

/** GPUs as people write them: `0-3,6`; `-` for none. */
export const showGpus = (gpus: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const gpu of gpus) {
    const last = ranges.at(-1);
    if (last?.[1] === gpu - 1) last[1] = gpu;
    else ranges.push([gpu, gpu]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',') || '-';
};

/**
 * The GPUs of each pool, in the order given. A number takes the next GPUs that no pool holds, and goes on beyond the last
 * one where they do not suffice, for the checks to find. With `colocate` pools may hold the same GPUs: every number is counted
 * from the first one.
 */
export const allotGpus = (shares: readonly GpuShare[], colocate: boolean): number[][] => {
  const taken = new Set(shares.flatMap((share) => (typeof share === 'string' ? gpusNamed(share) : [])));
  const next = (): number => {
    let gpu = 0;
    while (taken.has(gpu)) gpu += 1;
    taken.add(gpu);
    return gpu;
  };
  return shares.map((share) => {
    if (typeof share === 'string') return gpusNamed(share);
    return Array.from({ length: share }, (_, i) => (colocate ? i : next()));
  });
};
