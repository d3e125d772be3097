import { resumesAt } from './outage';

it.each([
  [0, 10, 10, 10],
  [100, 11, 10, 120],
  [100, 3, 10, 110],
  [5, 600, 10, 605],
])(
  'goes on with the first probe behind an outage: from %d s for %d s, probed every %d s, at %d s',
  (fromSeconds, seconds, probe, at) => {
    expect(resumesAt({ fromSeconds, seconds }, probe)).toBe(at);
  },
);
