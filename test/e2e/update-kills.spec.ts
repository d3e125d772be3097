import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PolicyUpdated } from '@app/contracts';
import { until } from '@app/testing';
import { UpdateWorld } from '../crash/update-world';

const LOAD = '/update_weights_from_disk';
const TEST_MS = 120_000;

/** Real processes, killed with -9 in each state of the gate. One world for all: what one death leaves behind, the next one finds. */
describe('kill -9 around a weight update', () => {
  let world: UpdateWorld;
  let folder: string;
  /** How chats of somebody who never stops ended. */
  const statuses: number[] = [];
  let isOver = false;
  let talking: Promise<void>;

  const ask = (gateway: string, content: string): Promise<Response> =>
    fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content }] }),
      signal: AbortSignal.timeout(60_000),
    });
  /** A gateway that is gone is no answer: a client asks the other one. */
  const talk = async (): Promise<void> => {
    for (let i = 0; !isOver; i += 1) {
      const { url } = world.stack.gateways[i % 2]!;
      const response = await ask(url, `hello ${i}`).catch(() => null);
      if (response === null) continue;
      const isWhole = await response.text().then(
        () => true,
        () => false,
      );
      if (isWhole) statuses.push(response.status);
    }
  };
  const opened = (outcomes: readonly string[], past: number) =>
    world.until(`the gate opens: ${outcomes.join(' or ')}`, ({ gate, unfinished, history = [] }) => {
      const isNew = history.length > past;
      return (
        isNew && gate.state === 'serving' && unfinished === undefined && outcomes.includes(history.at(-1)!.outcome)
      );
    });
  const ended = async (): Promise<number> => ((await world.state()).history ?? []).length;
  /** All that was stored is trained on, by a trainer whom nobody kills. */
  const trainsAll = async (name: string): Promise<void> => {
    const trainer = await world.startTrainer(name);
    await world.until('all samples are trained on', ({ acknowledged, leases }) => {
      return acknowledged === world.samples && leases.length === 0;
    });
    await trainer.stop();
    await world.until('nothing is under way', ({ gate, unfinished }) => gate.update === undefined && !unfinished);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'answers-'));
    const answers = join(folder, 'answers.json');
    const slow = { when: 'take your time', content: 'one two three four five six seven eight nine ten', delayMs: 400 };
    writeFileSync(answers, JSON.stringify([slow]));
    world = await UpdateWorld.start(answers);
    talking = talk();
  }, TEST_MS);

  afterAll(async () => {
    isOver = true;
    await talking;
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  }, TEST_MS);

  it(
    'a trainer that has a batch and no update: the batch is trained on by another',
    async () => {
      await world.addBatch();
      const trainer = await world.startTrainer('dies-with-a-batch', { holdAt: 'train' });
      await trainer.says('holds');
      await trainer.kill();
      expect((await world.state()).gate.state).toBe('serving');
      await trainsAll('after-a-batch');
    },
    TEST_MS,
  );

  it(
    'a trainer while answers are let end: the gate opens by its lease, the batch waits again',
    async () => {
      await world.addBatch();
      const [past, { version }] = [await ended(), await world.state()];
      const slow = ask(world.stack.gateways[0]!.url, 'take your time');
      const trainer = await world.startTrainer('dies-draining', { door: 1 });
      await world.until('the gate is draining', ({ gate }) => gate.state === 'draining');
      await trainer.kill();
      await opened(['expired'], past);
      expect((await world.state()).version).toBe(version);
      expect((await slow).status).toBe(200);
      await trainsAll('after-draining');
    },
    TEST_MS,
  );

  it(
    'a trainer while the weights are its own: the gate opens by its lease, the batch waits again',
    async () => {
      await world.addBatch();
      const [past, { version }] = [await ended(), await world.state()];
      const trainer = await world.startTrainer('dies-updating', { inGate: true, holdAt: 'train' });
      await trainer.says('holds');
      expect((await world.state()).gate.state).toBe('updating');
      await trainer.kill();
      await opened(['expired'], past);
      expect((await world.state()).version).toBe(version);
      await trainsAll('after-updating');
    },
    TEST_MS,
  );

  it(
    'a trainer while its commit is under way: the door brings it to its end',
    async () => {
      await world.addBatch();
      const [past, { version, acknowledged }] = [await ended(), await world.state()];
      const loads = world.engines[0].asked(LOAD);
      const trainer = await world.startTrainer('dies-committing');
      await until(() => world.engines[0].asked(LOAD) > loads, { what: 'the weights are loaded', timeoutMs: 30_000 });
      await trainer.kill();
      await opened(['committed'], past);
      expect(await world.state()).toMatchObject({ version: version + 1, acknowledged: acknowledged + 2, leases: [] });
    },
    TEST_MS,
  );

  it(
    'a door while it loads weights: the other one brings the update to its end',
    async () => {
      await world.addBatch();
      const past = await ended();
      const loads = world.engines[0].asked(LOAD);
      const trainer = await world.startTrainer('loses-its-door');
      await until(() => world.engines[0].asked(LOAD) > loads, { what: 'the weights are loaded', timeoutMs: 30_000 });
      const [door] = world.stack.of('sample-submitter');
      await door!.kill();
      await opened(['recovered', 'expired'], past);
      await trainer.kill();
      door!.start();
      await door!.whenUp();
      await trainsAll('after-a-door');
    },
    TEST_MS,
  );

  it(
    'a gateway while the gate is closed: the other one serves, the update goes on',
    async () => {
      await world.addBatch();
      const past = await ended();
      const trainer = await world.startTrainer('loses-a-gateway', { inGate: true, holdAt: 'train' });
      await trainer.says('holds');
      const [gateway, other] = world.stack.of('gateway');
      await gateway!.kill();
      trainer.release();
      await opened(['committed'], past);
      expect((await ask(world.stack.urlOf(other!), 'hello')).status).toBe(200);
      gateway!.start();
      await gateway!.whenUp();
      await trainer.stop();
    },
    TEST_MS,
  );

  it(
    'NATS while the gate is closed: no version is skipped, the batch is trained on once',
    async () => {
      await world.addBatch();
      const { version } = await world.state();
      const trainer = await world.startTrainer('loses-nats', { inGate: true, holdAt: 'train' });
      await trainer.says('holds');
      await world.stack.killNats();
      await world.stack.startNats();
      trainer.release();
      await world.until('the batch is trained on', ({ acknowledged }) => acknowledged === world.samples);
      expect((await world.state()).version).toBe(version + 1);
      await trainer.stop();
    },
    TEST_MS,
  );

  it(
    'an engine while it loads weights: the others serve the new ones, it is out until it has them',
    async () => {
      await world.addBatch();
      const past = await ended();
      const [engine, other] = world.engines;
      const loads = engine.asked(LOAD);
      const trainer = await world.startTrainer('loses-an-engine');
      await until(() => engine.asked(LOAD) > loads, { what: 'the weights are loaded', timeoutMs: 30_000 });
      await engine.kill();
      await opened(['committed'], past);
      const { engineVersion } = await world.state();
      expect(await other.weights()).toBe(engineVersion);
      await engine.start();
      expect(await engine.weights()).toBe('default');
      const conditionIs = (condition: string, inRotation: boolean) =>
        until(
          async () => {
            const { engines = [] } = (await (await fetch(`${world.stack.gateways[0]!.url}/readyz`)).json()) as {
              engines?: { engine: string; condition: string; in_rotation: boolean }[];
            };
            const shown = engines.find((each) => each.engine === new URL(engine.url).host);
            return shown?.condition === condition && shown.in_rotation === inRotation;
          },
          { what: `the engine is ${condition}`, timeoutMs: 30_000 },
        );
      await conditionIs('stale', false);
      const served = other.asked('/v1/chat/completions');
      await until(() => other.asked('/v1/chat/completions') > served + 5, { what: 'the other one serves' });
      await world.addBatch();
      await conditionIs('ok', true);
      expect(await engine.weights()).toBe((await world.state()).engineVersion);
      await trainer.stop();
    },
    TEST_MS,
  );

  it(
    'two trainers at once: the second one is refused, and told by whom',
    async () => {
      await world.addBatch();
      await world.addBatch();
      const past = await ended();
      const first = await world.startTrainer('first', { inGate: true, holdAt: 'train' });
      await first.says('holds');
      const second = await world.startTrainer('second', { inGate: true });
      await second.says('trainer first is updating the weights');
      expect(second.output).not.toContain('[backend] train');
      first.release();
      await opened(['committed'], past);
      await world.until('both batches are trained on', ({ acknowledged }) => acknowledged === world.samples);
      await Promise.all([first.stop(), second.stop()]);
      const both = [...world.trainedBy(first), ...world.trainedBy(second)];
      expect(new Set(both).size).toBe(both.length);
    },
    TEST_MS,
  );

  it('leaves versions without a gap, each told once, and every sample trained on once', async () => {
    const { version, history = [], acknowledged, done, leases, gate } = await world.state();
    expect(gate).toEqual({ state: 'serving' });
    expect([acknowledged, leases, done.length]).toEqual([world.samples, [], 1]);
    const made = history.filter(({ outcome }) => outcome === 'committed' || outcome === 'recovered');
    expect(made.map((update) => update.version)).toEqual(Array.from({ length: version }, (_, i) => i + 1));
    expect(made.reduce((sum, { samples }) => sum + samples, 0)).toBe(world.samples);
    for (let each = 1; each <= version; each += 1) {
      expect((await world.bus.read(PolicyUpdated, String(each)))?.info).toMatchObject({ version: each });
    }
    expect(await world.bus.read(PolicyUpdated, String(version + 1))).toBeNull();
    for (const engine of world.engines) expect(await engine.weights()).toBe(made.at(-1)?.engineVersion);
  });

  it('has cost nobody who talked an answer', () => {
    expect(statuses.length).toBeGreaterThan(50);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});
