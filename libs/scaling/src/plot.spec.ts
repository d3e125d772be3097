import { plotColumns } from './plot';

it('draws each value as high as it is against the highest', () => {
  expect(plotColumns([0, 1, 8, 16], { height: 2 })).toBe(['16 │   █', ' 0 │ ▁██'].join('\n'));
});

it('writes marks below their columns', () => {
  const marks = new Map([
    [0, '0 h'],
    [6, '12 h'],
  ]);
  expect(plotColumns([0, 0, 0, 0, 0, 0, 0], { height: 1, marks })).toBe(['0 │', '   0 h   12 h'].join('\n'));
});
