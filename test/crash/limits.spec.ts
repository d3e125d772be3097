import type { JetStreamManager } from '@nats-io/jetstream';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { until } from '@app/testing';
import type { CrashStack } from './stack';
import { scenario } from './scenario';
import { pause } from './waiting';

const withStreams = async <Result>(
  { nats }: CrashStack,
  work: (jsm: JetStreamManager) => Promise<Result>,
): Promise<Result> => {
  const connection = await connect({ servers: nats.url });
  try {
    return await work(await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
};

/** As if the store were tiny: the stream of turns keeps so many bytes and drops the oldest messages. */
const limitTurns = (stack: CrashStack, maxBytes: number): Promise<unknown> =>
  withStreams(stack, async (jsm) => {
    const { config } = await jsm.streams.info('RL_TURNS');
    return jsm.streams.update('RL_TURNS', { ...config, max_bytes: maxBytes });
  });

const firstTurn = (stack: CrashStack): Promise<number> =>
  withStreams(stack, async (jsm) => (await jsm.streams.info('RL_TURNS')).state.first_seq);

describe('a limit', () => {
  scenario('of the stream of turns, while the judge is away: what is gone is counted as turn_lost, the chat goes on', {
    options: ({ turns }) => ({
      turns: Math.min(turns, 120),
      thinkMs: 1500,
      stack: { idleS: 15 },
      allowed: ['turn_lost'],
      removes: true,
    }),
    trouble: async ({ stack, say, ledger }) => {
      await limitTurns(stack, 120_000);
      await stack.stopJudge();
      say('RL_TURNS keeps 120 KB, and the judge is away');
      await until(() => ledger.finished.length >= 90, { what: 'ninety answers', timeoutMs: 240_000, everyMs: 100 });
      say(`RL_TURNS begins at ${await firstTurn(stack)} now; the judge comes back`);
      await stack.startJudge();
    },
    check: ({ counts }, { ledger }) => {
      expect(counts['finished main: turn_lost']).toBeGreaterThan(0);
      expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
    },
  });

  scenario('of patience: services that stand still and clients that read slowly lose nothing', {
    options: ({ turns }) => ({
      turns: Math.min(turns, 100),
      slowClients: 2,
      // The server gives up on a connection that takes nothing for so long, or does not answer it.
      stack: { idleS: 25, natsConfig: 'write_deadline: "500ms"\nping_interval: "2s"\nping_max: 1' },
    }),
    trouble: async ({ stack, say, stopClients }) => {
      for (const app of ['session-tracker', 'sample-submitter', 'prm-judge'] as const) {
        await pause(2000, stopClients);
        say(`both ${app}s stand still for 8 s`);
        for (const service of stack.of(app)) service.freeze();
        await pause(8000, stopClients);
        for (const service of stack.of(app)) service.thaw();
      }
    },
    check: (_result, { ledger }) => {
      expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
    },
  });
});
