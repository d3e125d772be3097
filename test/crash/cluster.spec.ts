import { HYBRID } from './hybrid';
import type { Result, Run } from './run';
import { scenario } from './scenario';
import { WriteWatch } from './write-watch';
import { pause } from './waiting';

/** Longer than a new leader takes, and than a client that is cut off notices. */
const AWAY_MS = 20_000;
/** A publisher that has asked a dead leader waits so long for its word before it asks again. */
const LONGEST_STANDSTILL_MS = 30_000;

/** Does something to the servers, and says when the streams took messages again. */
const standstill = async (
  run: Run,
  watch: WriteWatch,
  what: string,
  act: () => void | Promise<void>,
): Promise<void> => {
  run.say(what);
  const seconds = await watch.after(act);
  run.say(`  the first turn was stored ${seconds.toFixed(1)} s later`);
  expect(seconds * 1000).toBeLessThan(LONGEST_STANDSTILL_MS);
};

const nothingLost = ({ counts }: Result, { ledger }: Run): void => {
  expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
  expect(ledger.ended('refused').map(({ note }) => note)).toEqual([]);
  expect(Object.keys(counts).filter((what) => /gateway_lost|unrecorded|turn_lost|not_judged/.test(what))).toEqual([]);
};

describe('a cluster of three NATS servers', () => {
  scenario('one dies, the leader dies, one is cut off: the chat goes on, and nothing is lost', {
    options: () => ({ ...HYBRID, thinkMs: 8000, stack: { ...HYBRID.stack, idleS: 60, cluster: true } }),
    trouble: async (run) => {
      const { stack, say, stopClients } = run;
      const { cluster } = stack;
      const { servers, island } = cluster;
      const watch = await WriteWatch.start(stack);
      try {
        await pause(3000, stopClients);
        const kill = async (name: string): Promise<void> => {
          await servers.get(name)!.kill();
        };
        const bringBack = async (name: string): Promise<void> => {
          await pause(AWAY_MS / 4, stopClients);
          await servers.get(name)!.restart();
          await cluster.healthy();
          await watch.copiesAreWhole();
          say(`${name} is back, and its copies are whole`);
        };
        const follower = [...servers.keys()].find((name) => name !== watch.leader)!;
        await standstill(run, watch, `kill -9 ${follower}, which follows`, () => kill(follower));
        await bringBack(follower);

        const leader = watch.leader;
        await standstill(run, watch, `kill -9 ${leader}, which leads the stream of turns`, () => kill(leader));
        expect(watch.leader).not.toBe(leader);
        await bringBack(leader);

        if (island === null) {
          say('nobody is cut off: that takes root and network namespaces');
          return;
        }
        await standstill(run, watch, 'n3 is cut off', () => {
          island.cut();
        });
        await pause(AWAY_MS, stopClients);
        island.heal();
        await cluster.healthy();
        await watch.copiesAreWhole();
        say('n3 is back on the network, and its copies are whole');
      } finally {
        await watch.close();
      }
    },
    check: nothingLost,
  });
});
