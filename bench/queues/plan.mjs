/** Two judges with four turns each: the model's servers. A question takes so long on average, by the exponential distribution. */
export const JUDGES = 2;
export const TURNS_AT_ONCE = 4;
export const VOTES = 3;
const MEAN_SECONDS = 0.15;
const LONGEST_SECONDS = 2;
export const PROBE_SECONDS = 2;

const CAPACITY = (JUDGES * TURNS_AT_ONCE) / MEAN_SECONDS;

/** Shares of what the judges can do, and until when they come: busy, overloaded, quiet again; an outage in the quiet. */
const PHASES = [
  { name: 'busy: 0.7 of what the judges can do', load: 0.7, until: 25 },
  { name: 'overload: 1.4', load: 1.4, until: 37 },
  { name: 'worked off: 0.6', load: 0.6, until: 65 },
  { name: 'outage of 7 s, and behind it: 0.6', load: 0.6, until: 90 },
];
/** Between two probes of the breaker, so that a late one changes little. */
export const OUTAGE = { fromSeconds: 65, seconds: 7 };
export const SECONDS = PHASES.at(-1).until;

const phaseAt = (time) => PHASES.find(({ until }) => time < until) ?? PHASES.at(-1);

/** From when to when, by name. */
export const phases = PHASES.map(({ name, until }, i) => ({ name, from: PHASES[i - 1]?.until ?? 0, until }));

/** Turns that come, in seconds from the beginning, and how long the judge's engine takes for each. */
export function planTurns(seed, { nextArrival, exponential, seededRandom }) {
  const random = seededRandom(seed);
  const rate = { rate: (time) => CAPACITY * phaseAt(time).load, most: CAPACITY * 1.4 };
  const turns = [];
  for (let at = nextArrival(0, rate, random); at < SECONDS; at = nextArrival(at, rate, random)) {
    const delayMs = Math.ceil(1000 * Math.min(LONGEST_SECONDS, MEAN_SECONDS * exponential(random)));
    turns.push({ at, delayMs });
  }
  return turns;
}
