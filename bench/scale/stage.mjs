import { usageOf } from '../processes.mjs';
import { pause, startService, withManager } from '../stack.mjs';

const MS = 1000;
const POLL_MS = 50;

/** Messages that a durable consumer has not done with, all of the stream while it is not there yet. */
const left = (jsm, { stream, durable, messages }) =>
  jsm.consumers.info(stream, durable).then(
    ({ num_pending: pending, num_ack_pending: inHand }) => pending + inHand,
    () => messages,
  );

/**
 * One replica works off what waits for it, alone on the machine with nats-server and the engine that it asks. The clock starts behind
 * the first `warm` turns, when the process is warm.
 *
 * @param turns how many wait in `stream`
 * @param perTurn messages of one turn there
 */
export async function workOff(app, { parts, settings, stream, turns, perTurn = 1, warm }) {
  const { nats } = parts;
  return withManager(nats, async (jsm) => {
    const { state } = await jsm.streams.info(stream);
    const queue = { stream, durable: app, messages: state.messages };
    const service = await startService(app, parts, settings);
    const until = async (turnsLeft) => {
      for (;;) {
        const messages = await left(jsm, queue);
        if (messages / perTurn <= turnsLeft) return messages / perTurn;
        await pause(POLL_MS);
      }
    };
    const cpu = () => [service, nats].map(({ pid }) => usageOf(pid).cpuSeconds);
    const begun = await until(turns - warm);
    const [start, before] = [performance.now(), cpu()];
    await until(0);
    const seconds = (performance.now() - start) / MS;
    const [own, bus] = cpu().map((after, i) => ((after - before[i]) * MS) / begun);
    const connections = await connectionsOf(nats, app);
    await service.stop();
    return { turnsPerSecond: begun / seconds, cpuMs: own, natsCpuMs: bus, connections };
  });
}

/** Connections that an app's processes have to nats-server. */
export async function connectionsOf({ monitor }, app) {
  const { connections } = await (await fetch(`${monitor}/connz?limit=1024`)).json();
  return connections.filter(({ name }) => name === app).length;
}
