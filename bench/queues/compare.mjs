/** Turns that have come and are not done, at each second. */
export const levels = (turns, seconds) =>
  Array.from({ length: seconds }, (_, i) => turns.filter(({ at, end }) => at <= i && end > i).length);

const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

const quantile = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};

/** What is compared of turns that came in a phase: how long they took, and how many were there at most. */
export function summarize(turns, { from, until }) {
  const own = turns.filter(({ at }) => at >= from && at < until);
  const took = own.map(({ at, end }) => end - at);
  const most = levels(turns, Math.ceil(until))
    .slice(Math.floor(from))
    .reduce((a, b) => Math.max(a, b), 0);
  return { turns: own.length, mean: mean(took), p95: quantile(took, 0.95), most };
}
