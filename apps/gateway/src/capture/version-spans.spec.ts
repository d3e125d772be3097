import { versionSpans } from './version-spans';

const span = (version: number, weights: string | null, tokens: number) => ({ version, weights, tokens });

describe('versionSpans', () => {
  const names = new Map([
    [3, 'a'],
    [4, 'b'],
  ]);

  it('takes the engine’s word over the gate’s, which may come late', () => {
    expect(versionSpans([span(3, 'a', 2), span(3, 'b', 1), span(4, 'b', 5)], names)).toEqual([
      { version: 3, tokens: 2 },
      { version: 4, tokens: 6 },
    ]);
  });

  it.each([
    ['says no name', null, names],
    ['says one that is not known', 'c', names],
    ['keeps an old name, and the new version has none that is known', 'a', new Map([[3, 'a']])],
    ['calls several versions by one name', 'a', new Map([...names, [4, 'a']] as [number, string][])],
  ])('takes the gate’s where the engine %s', (_, weights, known) => {
    expect(versionSpans([span(3, weights, 2), span(4, weights, 1)], known)).toEqual([
      { version: 3, tokens: 2 },
      { version: 4, tokens: 1 },
    ]);
  });
});
