import fc from 'fast-check';
import { allotGpus, gpusNamed, showGpus } from './gpu-share';

describe('GPU numbers', () => {
  it.each([
    ['0-3', [0, 1, 2, 3]],
    ['4-4', [4]],
    ['6, 0-1,1', [0, 1, 6]],
    ['3-1', []],
  ])('are read from %s', (text, gpus) => {
    expect(gpusNamed(text)).toEqual(gpus);
  });

  it('are read as they were shown', () => {
    const gpus = fc.uniqueArray(fc.nat({ max: 40 }), { minLength: 1 }).map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(gpus, (list) => {
        expect(gpusNamed(showGpus(list))).toEqual(list);
      }),
    );
    expect(showGpus([])).toBe('-');
  });
});

describe('allotGpus', () => {
  it('counts on from pool to pool, around what others name', () => {
    expect(allotGpus([4, 2, 2], false)).toEqual([
      [0, 1, 2, 3],
      [4, 5],
      [6, 7],
    ]);
    expect(allotGpus([2, '1-2', 1], false)).toEqual([[0, 3], [1, 2], [4]]);
  });

  it('counts every pool from the first GPU where they may share', () => {
    expect(allotGpus([2, 1, '1-1'], true)).toEqual([[0, 1], [0], [1]]);
  });
});
