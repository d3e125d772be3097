// npm run bench:scale [-- --turns N --seed N --seconds N --out FILE --json]: what one replica of each service does, what a turn of an
// OpenClaw costs it and leaves in every stream, and what one stream takes in. docs/scaling.json is what --out wrote.
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { runJson, stopAll } from './processes.mjs';
import { measureServices } from './scale/services.mjs';
import { startCluster, startNats } from './stack.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '4000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [turns, seed, seconds] = ['turns', 'seed', 'seconds'].map((name) => Number(values[name]));

const SMALL_BYTES = 1024;
const IN_FLIGHT = 64;

/** What one stream takes in, with one copy and with three on a cluster whose servers share this machine. */
async function measureStreams(bytes) {
  const take = (url, copies, size) =>
    runJson('scale/stream.mjs', { url, copies, seconds, bytes: size, inFlight: IN_FLIGHT });
  const both = async ({ value }, copies) => {
    const { megabytesPerSecond } = await take(value, copies, bytes);
    const { messagesPerSecond } = await take(value, copies, SMALL_BYTES);
    return { megabytesPerSecond, messagesPerSecond };
  };
  const one = await both(await startNats(), 1);
  await stopAll();
  const three = await both(await startCluster(), 3);
  await stopAll();
  return { one, three };
}

/** Numbers with as many digits as say something. */
const rounded = (numbers) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value.toPrecision(3))]));

try {
  const { services, followedShare, ...rest } = await measureServices({ turns, seed });
  await stopAll();
  const { one, three } = await measureStreams(rest.storedBytes.RL_TURNS);
  const gib = Math.round(totalmem() / 2 ** 30);
  const measured = {
    machine: `${cpus().length} cores, ${cpus()[0].model}, ${gib} GiB, Node ${process.version}`,
    seed,
    ...rest,
    followedShare: Number(followedShare.toFixed(3)),
    services: Object.fromEntries(Object.entries(services).map(([name, service]) => [name, rounded(service)])),
    stream: { one: rounded(one), three: rounded(three) },
  };
  console.log(`${measured.machine}; ${measured.turns} turns, seed ${seed}`);
  console.table(measured.services);
  console.log('bytes of a turn in each stream and bucket');
  console.table(measured.storedBytes);
  console.log('what one stream takes in, with one copy and with three');
  console.table(measured.stream);
  if (values.json) console.log(JSON.stringify(measured));
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(measured, null, 2)}\n`);
} finally {
  await stopAll();
}
