import { execFileSync } from 'node:child_process';
import { startEngineDouble, until } from '@app/testing';
import { OpenClawClient } from '../support/openclaw-client';
import { Opened } from '../support/opened';
import { STACK_UP_MS, startStack, type Stack } from '../support/start-stack';
import { TrainerClient } from '../support/trainer-client';

/** Process id of a service of the stack. */
const pidOf = (stack: Stack, service: string): number | null => {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const line = listed
    .map((each) => each.trim().split(/\s+/))
    .find(([, ppid, ...args]) => Number(ppid) === stack.child.pid && args.join(' ').includes(service));
  return line === undefined ? null : Number(line[0]);
};

describe('integrated rewards', () => {
  jest.setTimeout(STACK_UP_MS + 120_000);
  const opened = new Opened();

  afterEach(() => opened.close());

  it('rewards every turn by the outcome of its session, also where the service that waits is killed', async () => {
    const engine = opened.add(await startEngineDouble({}));
    const stack = opened.add(
      await startStack({
        OPENCLAW_RL_SERVER_BASE_URL: engine.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
        OPENCLAW_RL_REWARD_INTEGRATED: '1',
        OPENCLAW_RL_REWARD_PROCESS_WEIGHT: '0.25',
      }),
    );
    const trainer = new TrainerClient(stack.door);
    const post = async (path: string, body: object): Promise<void> => {
      const response = await fetch(`${stack.gateway}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(202);
    };
    // A session that has a name and ends with an outcome, and one without a name that is rated in the middle.
    const named = new OpenClawClient(stack.gateway, 'named', {
      headers: { 'X-Session-Id': 'named' },
      runtimeLine: false,
    });
    const unnamed = new OpenClawClient(stack.gateway, 'unnamed', { runtimeLine: false });
    const one = [await named.say('hello'), await named.say('thanks, great'), await named.say('thanks, perfect')];
    const two = [await unnamed.say('good day'), await unnamed.say('no, that is wrong'), await unnamed.say('and now?')];
    // Every vote counts, so all are asked for: three for each turn that was followed.
    await until(() => engine.chats('judge').length >= 12, { what: 'four judged turns', timeoutMs: 20_000 });
    expect((await trainer.stats()).outcomes).not.toHaveProperty('sample');
    process.kill(pidOf(stack, 'sample-submitter')!, 'SIGKILL');
    await post('/v1/sessions/named/end', { outcome: 1 });
    await post('/v1/feedback', { turn_id: two[2]!.turnId, outcome: -1 });

    // Its successor finds what was left.
    await until(async () => (await trainer.stats()).outcomes.sample === 4, { what: 'samples', timeoutMs: 60_000 });
    const samples = await trainer.take(4);
    const seen = [one[0]!, one[1]!, two[0]!, two[1]!].map(({ turnId }) => {
      const { reward, metadata } = samples.get(turnId)!;
      return [metadata.step_index, metadata.session_outcome, reward.score];
    });
    expect(seen).toEqual([
      [0, 1, 1.25],
      [1, 1, 1.25],
      [0, -1, -1.25],
      [1, -1, -1],
    ]);
    // Two of each step: what the one has above the mean, the other has below it.
    const advantage = (turnId: string): number => samples.get(turnId)!.advantages[0]!;
    expect(advantage(one[0]!.turnId)).toBeCloseTo(Math.SQRT1_2, 5);
    expect(advantage(two[0]!.turnId)).toBeCloseTo(-Math.SQRT1_2, 5);
    expect(advantage(one[1]!.turnId)).toBeCloseTo(-advantage(two[1]!.turnId), 12);
  });
});
