import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@app/testing';
import { crashOptions } from './options';
import type { Result, Run } from './run';
import { scenario } from './scenario';
import { pause } from './waiting';

const chatNeverFailed = ({ ledger }: Run): void => {
  expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
  expect(ledger.ended('refused').map(({ note }) => note)).toEqual([]);
};

const nothingLost = ({ counts }: Result): void => {
  const lost = Object.keys(counts).filter((what) => /gateway_lost|unrecorded|turn_lost|not_judged/.test(what));
  expect(lost).toEqual([]);
};

describe('an outage', () => {
  scenario('of NATS: the chat goes on, and everything captured is settled later', {
    options: ({ turns }) => ({ turns: Math.min(turns, 160) }),
    trouble: async ({ stack, say, stopClients }) => {
      await pause(5000, stopClients);
      say(`NATS is away for ${crashOptions().awayS} s`);
      await stack.killNats();
      await pause(crashOptions().awayS * 1000, stopClients);
      await stack.startNats();
      say('NATS is back');
    },
    check: (result, run) => {
      chatNeverFailed(run);
      nothingLost(result);
    },
  });

  scenario('of the judge: no turn becomes neutral by it, all are judged later', {
    options: ({ turns }) => ({ turns: Math.min(turns, 160) }),
    trouble: async ({ stack, say, stopClients }) => {
      await pause(3000, stopClients);
      say(`the judge's server is away for ${crashOptions().awayS} s`);
      await stack.stopJudge();
      await pause(crashOptions().awayS * 500, stopClients);
      await stack.startJudge();
      stack.judge.script(() => ({ to: 'judge', status: 503, message: 'Loading model' }));
      say('it is back, and answers 503');
      await pause(crashOptions().awayS * 500, stopClients);
      await stack.stopJudge();
      await stack.startJudge();
      say('it judges again');
    },
    check: (result, run) => {
      chatNeverFailed(run);
      nothingLost(result);
    },
  });

  describe('of the disk for records', () => {
    const dir = join(tmpdir(), `crash-records-${process.pid}`);
    let isMounted = false;

    /** A disk of 64 KB where mounts are allowed; else a file stands in the folder's place. */
    const makeSmall = (): void => {
      mkdirSync(dir, { recursive: true });
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' });
        isMounted = true;
      } catch {
        rmSync(dir, { recursive: true });
        writeFileSync(dir, '');
      }
    };
    const makeLarge = (): void => {
      if (isMounted) execFileSync('mount', ['-o', 'remount,size=64m', dir]);
      else rmSync(dir);
    };
    const lines = (): string[] =>
      readdirSync(dir, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) => readFileSync(join(dir, name), 'utf8').split('\n'))
        .filter((line) => line !== '');

    afterAll(() => {
      if (isMounted) execFileSync('umount', [dir]);
      rmSync(dir, { recursive: true, force: true });
    });

    scenario('the chat and the samples go on, and the records are complete once there is room', {
      options: ({ turns }) => {
        makeSmall();
        const env = { OPENCLAW_RECORD_ENABLED: '1', OPENCLAW_RL_RECORDS_DIR: dir };
        return { turns: Math.min(turns, 80), stack: { idleS: 15, env } };
      },
      trouble: async ({ stack, trained, say }) => {
        say(isMounted ? 'records go to a disk of 64 KB' : 'records go to a folder that is a file');
        const failures = async (): Promise<number> => {
          const counts = await Promise.all(
            stack
              .of('sample-submitter')
              .map((service) => stack.metric(service, 'openclaw_rl_records_total{result="failed"}')),
          );
          return counts.reduce((sum, each) => sum + each, 0);
        };
        await until(failures, { what: 'records cannot be written', timeoutMs: 120_000, everyMs: 100 });
        const before = trained.trained.size;
        say('the disk takes no record any more');
        await until(() => trained.trained.size >= before + 10, {
          what: 'ten more samples are trained',
          timeoutMs: 120_000,
        });
        makeLarge();
        say('the disk has room again');
      },
      check: (result, run) => {
        chatNeverFailed(run);
        nothingLost(result);
        const ids = lines().map((line) => (JSON.parse(line) as { turn_id: string }).turn_id);
        expect(ids.sort()).toEqual([...result.truth.settled.keys()].sort());
      },
    });
  });
});
