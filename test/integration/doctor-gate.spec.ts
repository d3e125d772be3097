import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startEngineDouble, until, type EngineDouble } from '@app/testing';
import { Opened } from '../support/opened';
import { SlowProxy } from '../support/slow-proxy';
import { Stack } from './doctor-harness';

/** A trainer that begins an update, says so, and goes on as if it trained. */
const TRAINER = `
  const [door, leaseMs] = process.argv.slice(1);
  const body = JSON.stringify({ request_id: 'update-1', trainer: 'mine', lease_ms: Number(leaseMs) });
  fetch(door + '/v1/policy/updates', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    .then((answer) => console.log(answer.status));
  setInterval(() => undefined, 1000);
`;

describe('the doctor on the update gate', () => {
  // Whole stacks, on machines that have other things to do.
  jest.setTimeout(90_000);
  const opened = new Opened();
  afterEach(() => opened.close());

  const withEngines = (one: EngineDouble, two: EngineDouble): Promise<Stack> =>
    Stack.start(opened, {
      OPENCLAW_RL_SERVER_BASE_URL: one.url,
      OPENCLAW_RL_POOLS_POLICY_ENGINES: `${one.url},${two.url}`,
    });
  const gateOf = async (stack: Stack) => (await stack.consult(['gate'])).gate!;

  /** Resolves once the trainer has closed the gate; what it returns kills it, as the kernel does who needs its memory. */
  const train = async (stack: Stack, leaseMs: number): Promise<() => Promise<void>> => {
    const child = spawn(process.execPath, ['-e', TRAINER, stack.doorUrl, String(leaseMs)], { stdio: 'pipe' });
    opened.add({ stop: () => child.kill('SIGKILL') });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(said.toString()).toBe('200\n');
    return async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    };
  };

  it('tells one that a trainer has closed, and until when', async () => {
    const stack = await Stack.start(opened);
    await train(stack, 60_000);
    expect(await gateOf(stack)).toMatchObject({
      status: 'warning',
      seen: expect.stringMatching(/^closed: .*mine.* for \d+ s at most; requests wait$/),
      remedy: expect.stringContaining('a trainer that has died loses its hold'),
    });
  });

  it('tells one whose trainer was killed: closed, then open and unfinished, then as if nothing had been', async () => {
    const engine = opened.add(await startEngineDouble());
    const proxy = opened.add(new SlowProxy(engine.url, 0, '/model_info'));
    const stack = await Stack.start(opened, { OPENCLAW_RL_SERVER_BASE_URL: await proxy.start() });
    const kill = await train(stack, 3000);
    await kill();
    expect((await gateOf(stack)).seen).toMatch(/^closed: /);
    // Which weights serve now the engine has to say, and it takes its time.
    proxy.delayMs = 1000;
    const isOver = async (): Promise<boolean> => !(await gateOf(stack)).seen.startsWith('closed');
    await until(isOver, { what: 'the hold is over', timeoutMs: 60_000 });
    expect(await gateOf(stack)).toMatchObject({
      status: 'warning',
      seen: expect.stringMatching(/^an update of .*mine.* has not ended \(updating\); its hold is over/),
      remedy: expect.stringContaining('GET /v1/policy at the door'),
    });
    proxy.delayMs = 0;
    const isOpen = async (): Promise<boolean> => (await gateOf(stack)).seen === 'open, policy version 0';
    await until(isOpen, { what: 'the update has ended', timeoutMs: 60_000 });
  });

  it('tells engines that the door cannot reach: some, and all', async () => {
    const [one, two] = [opened.add(await startEngineDouble()), opened.add(await startEngineDouble())];
    const stack = await withEngines(one, two);
    expect(await gateOf(stack)).toMatchObject({ status: 'ok' });
    await two.close();
    expect(await gateOf(stack)).toMatchObject({
      status: 'warning',
      seen: `open; ${two.url} cannot be reached by the door`,
      remedy: expect.stringContaining('updates go on without it'),
    });
    await one.close();
    expect(await gateOf(stack)).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('no update can be made'),
    });
  });

  it('tells an engine with other weights than the rest, and one that has come back without the new ones', async () => {
    const [one, two] = [opened.add(await startEngineDouble()), opened.add(await startEngineDouble())];
    const stack = await withEngines(one, two);
    two.set({ weightVersion: 'mine' });
    expect(await gateOf(stack)).toMatchObject({
      status: 'warning',
      seen: 'open; the engines of the policy have different weights',
    });
    two.set({ weightVersion: 'default' });
    const post = async (path: string, body: object) =>
      (await fetch(`${stack.doorUrl}/v1/policy/updates${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((answer) => answer.json())) as { token: string };
    const { token } = await post('', { request_id: 'update-1', trainer: 'mine' });
    await post(`/${token}/commit`, { weights_path: '/weights/1' });
    expect(await gateOf(stack)).toMatchObject({ status: 'ok', seen: 'open, policy version 1' });
    two.set({ weightVersion: 'default' });
    expect(await gateOf(stack)).toMatchObject({
      status: 'warning',
      seen: `open; ${two.url} serves other weights than those of policy version 1`,
      remedy: expect.stringContaining('let the next update do it'),
    });
  });

  it('takes no offence at a judge who waits for it, as he has to on the engine of the policy', async () => {
    const stack = await Stack.start(opened);
    await stack.startWorkers(opened);
    expect((await stack.consult(['workers'])).workers).toMatchObject({ status: 'ok' });
    await train(stack, 80_000);
    const isWaiting = async (): Promise<boolean> => {
      const { workers } = await stack.consult(['workers']);
      expect(workers?.status).not.toBe('failed');
      return workers?.seen === 'prm-judge waits for the update gate' && workers.status === 'warning';
    };
    await until(isWaiting, { what: 'a judge who waits', timeoutMs: 60_000 });
  });

  it('says that a turn had to wait for it too long', async () => {
    const stack = await Stack.start(opened, { OPENCLAW_RL_GATE_HOLD_S: '0' });
    await stack.startWorkers(opened);
    await train(stack, 80_000);
    const isClosed = async (): Promise<boolean> => {
      const { turn } = await stack.consult(['turn']);
      return turn?.seen === 'the gate was closed for all the time that a request waits';
    };
    await until(isClosed, { what: 'a gate that is closed for the gateway too', timeoutMs: 60_000 });
  });
});
