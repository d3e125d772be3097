const DAY_SECONDS = 86_400;
/** Of the concentration that is looked for: with it the peak factor is above 10. */
const MOST_CONCENTRATED = 80;
const HALVINGS = 60;

/** Modified Bessel function of the first kind and order 0, by its series. */
const besselI0 = (x: number): number => {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-17; k += 1) {
    term *= (x / 2 / k) ** 2;
    sum += term;
  }
  return sum;
};

/**
 * How busy a moment of the day is against the day's mean: one hump around `busiestHour` (the von Mises density), whose top is
 * `peakFactor`. The mean over a day is 1.
 *
 * @param peakFactor from 1 (the same at all hours) to 10
 * @throws RangeError for another factor
 */
export const dayProfile = (peakFactor: number, busiestHour = 14): ((seconds: number) => number) => {
  if (!(peakFactor >= 1 && peakFactor <= 10)) throw new RangeError(`a peak factor of ${peakFactor}; allowed: 1 to 10`);
  let [low, high] = [0, MOST_CONCENTRATED];
  for (let i = 0; i < HALVINGS; i += 1) {
    const middle = (low + high) / 2;
    if (Math.exp(middle) / besselI0(middle) < peakFactor) low = middle;
    else high = middle;
  }
  const scale = besselI0(low);
  return (seconds) => Math.exp(low * Math.cos(2 * Math.PI * (seconds / DAY_SECONDS - busiestHour / 24))) / scale;
};
