import { seededRandom } from '@app/pocket-lm';
import { nextArrival } from './arrivals';
import { dayProfile } from './day-profile';

const HOUR = 3600;
const DAY = 24 * HOUR;

describe('a day', () => {
  it.each([1, 1.5, 2.5, 6])('has its peak of %d at the busiest hour, and a mean of 1', (peak) => {
    const profile = dayProfile(peak, 14);
    const hours = Array.from({ length: 24 * 60 }, (_, minute) => profile(60 * minute));
    expect(Math.max(...hours)).toBeCloseTo(peak, 6);
    expect(profile(14 * HOUR)).toBeCloseTo(peak, 6);
    expect(hours.reduce((sum, each) => sum + each, 0) / hours.length).toBeCloseTo(1, 6);
    expect(profile(DAY + HOUR)).toBeCloseTo(profile(HOUR), 9);
  });

  it.each([0.9, 11, Number.NaN])('cannot have a peak of %d', (peak) => {
    expect(() => dayProfile(peak)).toThrow(RangeError);
  });
});

it('has as many arrive in each hour as the rate says', () => {
  const profile = dayProfile(2.5, 14);
  const random = seededRandom(1);
  const counts = new Array<number>(24).fill(0);
  const rate = { rate: profile, most: 2.5 };
  for (let time = nextArrival(0, rate, random); time < DAY; time = nextArrival(time, rate, random)) {
    counts[Math.floor(time / HOUR)]! += 1;
  }
  for (const [hour, count] of counts.entries()) {
    const expected = Array.from({ length: 60 }, (_, m) => 60 * profile(hour * HOUR + 60 * (m + 0.5))).reduce(
      (a, b) => a + b,
    );
    // Five standard deviations of a Poisson number.
    expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
  }
});
