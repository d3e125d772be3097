import { runJson, usageOf } from '../processes.mjs';
import { bus, startNats, startService, startStub, withManager } from '../stack.mjs';
import { connectionsOf, workOff } from './stage.mjs';

/** A request of OpenClaw: 58 KB of system text and tools, as many tokens as those are, a streamed answer of 4 KB and 100 tokens. */
const BODY_KB = 58;
const PROMPT_TOKENS = 14_500;
const MAIN_TURNS = 6;
const CLIENTS = 32;
/** Share of the turns that come before the clock starts. */
const WARM = 0.25;
const BUCKET = 'KV_';
const STORES = ['RL_TURNS', 'RL_FOLLOWS', 'RL_VERDICTS', 'RL_SAMPLES', `${BUCKET}rl-sessions`, `${BUCKET}rl-chains`];

const settingsFor = (prm) => ({
  OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
  OPENCLAW_RL_SERVER_JUDGE_BASE_URL: prm.value,
  // The stub does not say how its log-probs are taken: at 1 it makes no difference.
  OPENCLAW_RL_SERVER_TEMPERATURE: '1',
  OPENCLAW_RL_JUDGE_CONCURRENCY: '48',
  OPENCLAW_RL_OPD_TEACHER_CONCURRENCY: '16',
});

/** Bytes on the disk, by stream and bucket. */
const stored = (nats) =>
  withManager(nats, async (jsm) => {
    const bytes = async (name) => (await jsm.streams.info(name)).state.bytes;
    return Object.fromEntries(
      await Promise.all(STORES.map(async (name) => [name.replace(BUCKET, ''), await bytes(name)])),
    );
  });

const total = (bytes) => Object.values(bytes).reduce((sum, each) => sum + each, 0);

/** The gateway under load. */
async function serve(parts, { settings, turns, seed }) {
  const gateway = await startService('gateway', parts, settings);
  const warm = Math.round(WARM * turns);
  const load = { stream: true, bodyKb: BODY_KB, clients: CLIENTS, mainTurns: MAIN_TURNS, url: gateway.value };
  await runJson('load.mjs', { ...load, requests: warm, seed: seed + 1 });
  const before = usageOf(parts.nats.pid).cpuSeconds;
  const result = await runJson('load.mjs', { ...load, requests: turns - warm, seed, pid: gateway.pid });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  await bus.steady(parts.nats, 'RL_TURNS');
  const natsCpuMs = ((usageOf(parts.nats.pid).cpuSeconds - before) * 1000) / result.requests;
  const connections = await connectionsOf(parts.nats, 'gateway');
  await gateway.stop();
  return { turnsPerSecond: result.perSecond, cpuMs: result.cpuMs, natsCpuMs, connections };
}

/**
 * One replica of each service, one after the other, each on what the one before has left. The measure of a turn is one that the service
 * works on; of what is stored, one that the gateway served.
 */
export async function measureServices({ turns, seed }) {
  const [stub, prm] = await Promise.all(
    [false, true].map((scores) => startStub({ scores, promptTokens: PROMPT_TOKENS })),
  );
  const nats = await startNats();
  const parts = { stub, nats };
  const settings = settingsFor(prm);
  const services = {};
  let before = 0;
  const note = async (name, count, result) => {
    const after = total(await stored(nats));
    services[name] = { ...result, writtenBytes: (after - before) / count };
    before = after;
  };
  const work = async (name, stream, count, perTurn) => {
    const queue = { parts, settings, stream, turns: count, perTurn, warm: WARM * count };
    await note(name, count, await workOff(name, queue));
  };

  const gateway = await serve(parts, { settings, turns, seed });
  const served = (await bus.stored(nats, 'RL_TURNS')) / 2;
  await note('gateway', served, gateway);
  await work('session-tracker', 'RL_TURNS', served, 2);
  const followed = await bus.steady(nats, 'RL_FOLLOWS');
  await work('prm-judge', 'RL_FOLLOWS', followed, 1);
  await work('opd-teacher', 'RL_FOLLOWS', followed, 1);
  await work('sample-submitter', 'RL_VERDICTS', followed, 2);

  const samples = await bus.stored(nats, 'RL_SAMPLES');
  if (samples < followed) throw new Error(`${samples} turns have an outcome of ${followed} that were followed`);
  const storedBytes = Object.fromEntries(
    Object.entries(await stored(nats)).map(([name, bytes]) => [name, Math.round(bytes / served)]),
  );
  return { turns: served, followedShare: followed / served, services, storedBytes };
}
