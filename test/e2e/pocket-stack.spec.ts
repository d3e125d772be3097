import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@app/testing';
import { OpenClawClient } from '../support/openclaw-client';
import { startStack, type Stack } from '../support/start-stack';
import { TrainerClient } from '../support/trainer-client';

/** Process id of a service of the stack. */
const pidOf = (stack: Stack, service: string): number => {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const line = listed
    .map((each) => each.trim().split(/\s+/))
    .find(([, ppid, ...args]) => Number(ppid) === stack.child.pid && args.join(' ').includes(service));
  if (line === undefined) throw new Error(`${service} does not run`);
  return Number(line[0]);
};

/** The stack that two commands start: the pocket model serves, its judge judges, and the trainer teaches it. */
describe('a stack without a model configured', () => {
  let stack: Stack;
  let door: TrainerClient;
  let sessions = 0;

  beforeEach(async () => {
    stack = await startStack({ OPENCLAW_RL_RL_ROLLOUT_STEPS: '2', OPENCLAW_RL_RL_ALGORITHM: 'hybrid' });
    door = new TrainerClient(stack.door);
  }, 120_000);
  afterEach(() => stack.stop());

  const serves = (version: number) =>
    until(async () => (await door.policy()).policy_version >= version, {
      what: `version ${version}`,
      timeoutMs: 60_000,
    });
  /** Two answers that are judged: the one is corrected, the other praised. */
  const converse = async (): Promise<void> => {
    const client = new OpenClawClient(stack.gateway, `homework-${(sessions += 1)}`, { tools: false });
    await client.say('Mia has 7 apples and finds 4 more. How many apples are there now?');
    await client.say('This sounds like an AI. Please write like a student.');
    await client.say('Thanks, that is perfect!');
  };
  const rounds = (): string[] => stack.output().match(/a round of training is done: .*/g) ?? [];
  const killed = async (service: string): Promise<void> => {
    process.kill(pidOf(stack, `apps/${service}/`), 'SIGKILL');
    const ups = (): number => stack.output().match(new RegExp(`^${service} +\\| .*\\bready\\b`, 'gm'))?.length ?? 0;
    await until(() => ups() === 2, { what: `${service} is up again`, timeoutMs: 30_000 });
  };

  it('learns from what is said, with log-probs that are exact, and goes on where the trainer was killed', async () => {
    await converse();
    await serves(1);
    await until(() => rounds().length === 1, { what: 'the round is told' });
    const first = await door.policy();
    await killed('trainer');
    await converse();
    await serves(2);
    await until(() => rounds().length === 2, { what: 'the second round is told' });
    const [before, after] = [first.weights_path, (await door.policy()).weights_path];
    for (const path of [before, after]) expect(existsSync(join(path ?? '', 'model.safetensors'))).toBe(true);
    expect([before, after].map((path) => /update-(\d+)/.exec(path ?? '')?.[1])).toEqual(['000001', '000002']);
    // Log-probs of the second round, at weights that went through the disk, and by another process.
    for (const round of rounds()) {
      expect(Number(/log_prob_difference ([^,\s]+)/.exec(round)?.[1])).toBeLessThan(1e-4);
    }
  }, 240_000);

  it('serves on with the weights that it had learnt when its engine is killed', async () => {
    await converse();
    await serves(1);
    await killed('pocket-engine');
    await converse();
    await serves(2);
    expect((await door.stats()).outcomes).not.toHaveProperty('incomplete');
    expect((await door.policy()).weights_path).toContain('update-000002');
  }, 240_000);
});
