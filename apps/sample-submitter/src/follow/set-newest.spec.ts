import { setNewest } from './set-newest';

describe('setNewest', () => {
  it('keeps the newest entries, and those that are set again longer', () => {
    const map = new Map<string, number>();
    for (const [i, key] of ['a', 'b', 'a', 'c', 'd'].entries()) setNewest(map, [key, i], 3);
    expect([...map]).toEqual([
      ['a', 2],
      ['c', 3],
      ['d', 4],
    ]);
  });
});
