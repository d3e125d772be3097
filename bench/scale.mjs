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

/** What one stream takes in, with one copy, and with three on a cluster whose servers share this machine; and three streams there. */
async function measureStreams(bytes) {
  const take = (url, size, rest) =>
    runJson('scale/stream.mjs', { url, seconds, bytes: size, inFlight: IN_FLIGHT, ...rest });
  const both = async ({ value }, rest) => {
    const { megabytesPerSecond } = await take(value, bytes, rest);
    const { messagesPerSecond } = await take(value, SMALL_BYTES, rest);
    return { megabytesPerSecond, messagesPerSecond };
  };
  const one = await both(await startNats(), { copies: 1, streams: 1 });
  await stopAll();
  const cluster = await startCluster();
  const three = await both(cluster, { copies: 3, streams: 1 });
  const partitioned = await both(cluster, { copies: 3, streams: 3 });
  await stopAll();
  return { one, three, partitioned };
}

/** Numbers with as many digits as say something. */
const rounded = (numbers) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value.toPrecision(3))]));
const eachRounded = (rows) => Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, rounded(row)]));

try {
  const { services, followedShare, ...rest } = await measureServices({ turns, seed });
  await stopAll();
  const streams = await measureStreams(rest.storedBytes.RL_TURNS);
  const gib = Math.round(totalmem() / 2 ** 30);
  const measured = {
    machine: `${cpus().length} cores, ${cpus()[0].model}, ${gib} GiB, Node ${process.version}`,
    seed,
    ...rest,
    followedShare: Number(followedShare.toFixed(3)),
    services: eachRounded(services),
    stream: eachRounded(streams),
  };
  console.log(`${measured.machine}; ${measured.turns} turns, seed ${seed}`);
  console.table(measured.services);
  console.log('bytes of a turn in each stream and bucket');
  console.table(measured.storedBytes);
  console.log('what streams take in: one with one copy, one with three, three with three');
  console.table(measured.stream);
  if (values.json) console.log(JSON.stringify(measured));
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(measured, null, 2)}\n`);
} finally {
  await stopAll();
}
