import { parseArgs } from 'node:util';
import { Problem } from '../lib/problem.mjs';

export const HELP = `How many judges do so many users need, and what happens in an outage and while weights are changed? Arithmetic from what was
measured (docs/scaling.json), and a day in virtual time for several numbers of judges. docs/scaling.md has what is assumed.

npm run simulate -- [options]
  --users N        (default 100)
  --turns N        model calls of a user in a day (default 100)
  --peak F         busiest moment against the day's mean, 1 to 10 (default 2.5)
  --judges N       GPUs of the judge in a cluster (default: so few that they are full at the busiest moment, as needed, twice that)
  --teachers N     GPUs of hints and teacher in a cluster; 0: no hints (default: as many as needed)
  --shared         they are the policy's own GPUs, and stand still while weights are changed
  --outage MIN     minutes of an outage of judge and teacher at the busiest time (default 10)
  --failing F      share of tries of a turn that fail and are repeated (default 0)
  --batch N        samples of a batch (default: as many as one trainer needs to keep up, 16 at least)
  --hours N        hours of the day from midnight on (default 24)
  --seed N         (default 1)
  --json           numbers for programs
  --table          the tables of docs/scaling.md, and no simulation
  --check          runs the real services, and compares their queue with the simulation's (2 minutes)
  --help           this text`;

const NUMBERS = {
  users: { standard: '100', from: 1, to: 1e9, whole: true },
  turns: { standard: '100', from: 0.01, to: 1e6 },
  peak: { standard: '2.5', from: 1, to: 10 },
  judges: { from: 1, to: 1e5, whole: true },
  teachers: { from: 0, to: 1e5, whole: true },
  outage: { standard: '10', from: 0, to: 24 * 60 },
  failing: { standard: '0', from: 0, to: 0.9 },
  batch: { from: 1, to: 4096, whole: true },
  hours: { standard: '24', from: 1, to: 24 },
  seed: { standard: '1', from: 0, to: 1e9, whole: true },
};
const FLAGS = ['shared', 'json', 'table', 'check', 'help'];

/** What is asked for; numbers that are not named are undefined. */
export function readOptions() {
  const values = parse();
  const numbers = Object.entries(NUMBERS).map(([name, range]) => [name, numberOf(name, values[name], range)]);
  return { ...values, ...Object.fromEntries(numbers) };
}

function numberOf(name, text, { from, to, whole }) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= from && value <= to && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new Problem(`--${name} is ${JSON.stringify(text)}; allowed: ${kind} from ${from} to ${to}`);
}

function parse() {
  const numbers = Object.entries(NUMBERS).map(([name, { standard }]) => [name, { type: 'string', default: standard }]);
  const flags = FLAGS.map((name) => [name, { type: 'boolean', default: false }]);
  try {
    return parseArgs({ options: Object.fromEntries([...numbers, ...flags]) }).values;
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}
