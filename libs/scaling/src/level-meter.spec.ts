import { LevelMeter } from './level-meter';

it('takes the mean over time and the most, in all and by intervals', () => {
  const meter = new LevelMeter(10);
  meter.set(4, 2);
  meter.set(12, 5);
  meter.set(13, 0);
  // 0 for 4 s, 2 for 8 s, 5 for 1 s, 0 for 12 s.
  const { area, mean, most, intervals } = meter.report(25);
  expect([area, mean, most]).toEqual([21, 21 / 25, 5]);
  expect(intervals).toEqual([
    { mean: 1.2, most: 2 },
    { mean: 0.9, most: 5 },
    { mean: 0, most: 0 },
  ]);
});

it('notes a level that stood for no time', () => {
  const meter = new LevelMeter(10);
  meter.set(3, 7);
  meter.set(3, 0);
  expect(meter.report(10)).toMatchObject({ area: 0, most: 7 });
});

it('has measured nothing at time 0', () => {
  expect(new LevelMeter(10).report(0)).toEqual({ area: 0, mean: 0, most: 0, intervals: [] });
});
