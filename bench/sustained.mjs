// The highest load that all services keep up with: requests come at a steady rate, and what is followed up is judged as it comes.
import { runJson, stopAll } from './processes.mjs';
import { bus, startGateway, startNats, startService, startStub } from './stack.mjs';

const FIRST_RATE = 400;
const STEP = 25;
/** A rate is kept up with while no more than this much time's turns wait for their verdict when it ends. */
const MOST_BEHIND_S = 0.5;

/** One rate for some seconds: how many turns were judged in a second, and how many seconds' worth waited in the end. */
async function hold(nats, load) {
  const [judgedBefore, start] = [await bus.stored(nats, 'RL_VERDICTS'), performance.now()];
  const { perSecond: served } = await runJson('load.mjs', load);
  const elapsed = (performance.now() - start) / 1000;
  const [owed, judged] = [await bus.stored(nats, 'RL_FOLLOWS'), await bus.stored(nats, 'RL_VERDICTS')];
  const perSecond = (judged - judgedBefore) / elapsed;
  await bus.settle(nats, await bus.steady(nats, 'RL_FOLLOWS'), 'RL_VERDICTS');
  return { rate: load.rate, served, judged: judged - judgedBefore, perSecond, behindS: (owed - judged) / perSecond };
}

/** All services at rising rates, with three votes a turn, until one is not kept up with; the rates that were. */
export async function sustained({ seconds, warm }) {
  const stub = await startStub({});
  const nats = await startNats();
  const gateway = await startGateway({ stub, nats });
  await Promise.all(
    ['session-tracker', 'sample-submitter', 'prm-judge'].map((app) => startService(app, { stub, nats })),
  );
  const load = { name: 'sustained', stream: false, bodyKb: 1, clients: 32, url: gateway.value };
  await runJson('load.mjs', { ...load, requests: warm, seed: 1 });
  await bus.settle(nats, await bus.steady(nats, 'RL_FOLLOWS'), 'RL_VERDICTS');
  const held = [];
  for (let rate = FIRST_RATE; ; rate += STEP) {
    const stage = await hold(nats, { ...load, rate, seconds, seed: rate });
    if (stage.behindS > MOST_BEHIND_S || stage.served < 0.98 * rate) break;
    held.push(stage);
  }
  await stopAll();
  if (held.length === 0) throw new Error(`sustained: not even ${FIRST_RATE} requests a second were kept up with`);
  return held;
}
