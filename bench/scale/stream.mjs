// What streams take in: guarded messages of `bytes`, `inFlight` at a time, to each of `streams` in turn. One JSON argument in, one JSON line out.
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const { url, copies, bytes, seconds, inFlight, streams } = JSON.parse(process.argv[2]);
const NAMES = Array.from({ length: streams }, (_, i) => `BENCH${i}`);
/** What earlier measurements stored is dropped behind this. */
const MOST_BYTES = 1e9;

const nc = await connect({ servers: url.split(',') });
const manager = await jetstreamManager(nc);
const js = jetstream(nc);
for (const name of NAMES) {
  await manager.streams.add({
    name,
    subjects: [`${name}.*`],
    max_msgs_per_subject: 1,
    max_bytes: MOST_BYTES,
    num_replicas: copies,
  });
}

const body = new Uint8Array(bytes).fill(120);
const expect = { lastSubjectSequence: 0 };
let [count, until] = [0, 0];
const publish = async () => {
  while (performance.now() < until) {
    count += 1;
    await js.publish(`${NAMES[count % streams]}.${count}`, body, { expect, timeout: 20_000 });
  }
};
const publishFor = async (time) => {
  const start = performance.now();
  const before = count;
  until = start + time * 1000;
  await Promise.all(Array.from({ length: inFlight }, publish));
  return (count - before) / ((performance.now() - start) / 1000);
};
await publishFor(seconds / 4);
const messagesPerSecond = await publishFor(seconds);
for (const name of NAMES) await manager.streams.delete(name);
await nc.close();
console.log(JSON.stringify({ messagesPerSecond, megabytesPerSecond: (messagesPerSecond * bytes) / 1e6 }));
