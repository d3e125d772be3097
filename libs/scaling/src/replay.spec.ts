import { replay } from './replay';

const turns = [
  { at: 0, seconds: 3 },
  { at: 1, seconds: 1 },
  { at: 1, seconds: 2 },
  { at: 10, seconds: 1 },
];

it('says when each turn is done', () => {
  expect(replay(turns, { servers: 1, probeSeconds: 1 })).toEqual([3, 4, 6, 11]);
  expect(replay(turns, { servers: 2, probeSeconds: 1 })).toEqual([3, 2, 4, 11]);
});

it('begins anew behind an outage what ran in it', () => {
  const outage = { fromSeconds: 2, seconds: 3 };
  expect(replay(turns, { servers: 1, outage, probeSeconds: 2 })).toEqual([9, 10, 12, 13]);
});
