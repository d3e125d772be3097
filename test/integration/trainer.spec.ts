import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PolicyUpdated } from '@app/contracts';
import { parseSampleJson, type Sample } from '@app/sample';
import { freePort, startNatsServer, until } from '@app/testing';
import { DoorClient } from '../../apps/trainer/src/door/door-client';
import { FileBackend } from '../../apps/trainer/src/file/file-backend';
import { importBatches, ImportError } from '../../apps/trainer/src/import/import-batches';
import { TrainLoop, type LoopOptions } from '../../apps/trainer/src/training/train-loop';
import type { TrainerBackend } from '../../apps/trainer/src/training/trainer-backend';
import { connectBus, get, startSubmitter } from './submitter-harness';
import { startTrainer, startTrainerWorld, type TrainerWorld } from './trainer-harness';

describe('the trainer', () => {
  let world: TrainerWorld;
  let dir: string;
  const endings: (() => Promise<unknown>)[] = [];

  const client = (url = world.door.url): DoorClient => new DoorClient({ url, apiKey: null, trainer: 'test' });

  /** A loop with a backend of the test's own. */
  const run = (backend: Partial<TrainerBackend>, options: Partial<LoopOptions> = {}, at = client()) => {
    const rounds: unknown[] = [];
    const ending = new AbortController();
    const loop = new TrainLoop(
      at,
      {
        prepare: () => Promise.resolve(),
        train: () => Promise.resolve({}),
        publish: null,
        baseVersion: null,
        published: () => null,
        ...backend,
      },
      {
        batchSize: 2,
        batchesPerUpdate: 1,
        leaseMs: 10_000,
        gateLeaseMs: 5_000,
        waitMs: 200,
        againMs: 10,
        sharesGpus: false,
        onRound: (...[outcome, found]) => rounds.push(outcome === 'failed' ? found : outcome),
        onIdle: () => undefined,
        ...options,
      },
    );
    const running = loop.run(ending.signal);
    endings.push(() => {
      ending.abort();
      return running;
    });
    return rounds;
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'trainer-'));
    world = await startTrainerWorld();
  });
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('writes batches to files, acknowledges them, and leaves the policy as it is', async () => {
    const app = await startTrainer({
      OPENCLAW_RL_TRAINER_DOOR_URL: world.door.url,
      OPENCLAW_RL_TRAINER_DIR: dir,
      OPENCLAW_RL_RL_ROLLOUT_STEPS: '2',
    });
    endings.push(() => app.close());
    const turnIds = await world.publish(4);
    await until(async () => (await world.state()).acknowledged === 4, { what: 'four samples are acknowledged' });
    const { batches } = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
    expect(batches.map(({ samples }: any) => samples)).toEqual([2, 2]);
    // They come in the order in which they were settled.
    expect(batches.flatMap(({ turn_ids }: any) => turn_ids).sort()).toEqual(turnIds.sort());
    expect((await world.state()).version).toBe(0);
    const url = await app.getUrl();
    expect((await get(url, '/readyz')).body).toMatchObject({ status: 'ok' });
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    await until(async () => (await metrics()).includes('openclaw_rl_training_rounds_total{outcome="trained"} 2'), {
      what: 'two rounds are counted',
    });
  });

  it('shows a locked door its name and its key, and writes batches in the form that is set', async () => {
    const locked = await startSubmitter(world.natsUrl, { OPENCLAW_RL_DOOR_API_KEYS: 'first,second' });
    const app = await startTrainer({
      ...{ OPENCLAW_RL_TRAINER_DOOR_KEY_ENV: 'KEY_OF_THE_DOOR', KEY_OF_THE_DOOR: 'second' },
      OPENCLAW_RL_TRAINER_DOOR_URL: locked.url,
      OPENCLAW_RL_TRAINER_NAME: 'files',
      OPENCLAW_RL_TRAINER_FORMAT: 'jsonl',
      OPENCLAW_RL_TRAINER_DIR: dir,
      OPENCLAW_RL_RL_ROLLOUT_STEPS: '2',
    });
    endings.push(async () => {
      await app.close();
      await locked.close();
    });
    await world.publish(2);
    await until(async () => (await world.state()).acknowledged === 2, { what: 'the batch is acknowledged' });
    expect(readdirSync(dir).sort()).toEqual(['batch-000001.jsonl', 'manifest.json']);
    expect(new Set((await world.state()).answers.map(({ trainer }) => trainer.split('/').at(-1)))).toEqual(
      new Set(['files']),
    );
  });

  it('imports what was written into an empty store, and into no other', async () => {
    const backend = new FileBackend({ dir, format: 'jsonl', now: () => new Date() });
    const rounds = run({ prepare: () => backend.prepare(), train: (samples) => backend.train(samples) });
    await world.publish(2);
    await until(() => rounds.length === 1, { what: 'a batch is written' });
    await expect(importBatches(world.bus, dir, () => 1)).rejects.toThrow(ImportError);

    const other = await startNatsServer();
    const otherBus = await connectBus(other.url);
    const otherDoor = await startSubmitter(other.url);
    endings.push(async () => {
      await otherDoor.close();
      await otherBus.close();
      await other.stop();
    });
    expect(await importBatches(otherBus, dir, () => 1)).toBe(2);
    const lease = await client(otherDoor.url).lease(
      { count: 2, waitMs: 5000, leaseMs: 1000 },
      new AbortController().signal,
    );
    const [line = ''] = readFileSync(join(dir, 'batch-000001.jsonl'), 'utf8').split('\n');
    expect({ ...lease!.samples[0], index: null, group_index: null }).toEqual({
      ...parseSampleJson(JSON.parse(line)),
      index: null,
      group_index: null,
    });

    writeFileSync(join(dir, 'batch-000001.jsonl'), `${line}\n`);
    await expect(importBatches(otherBus, dir, () => 1)).rejects.toThrow('not the file that the manifest names');
  });

  it('puts new weights in after rl.update_interval batches, outside of the closed gate', async () => {
    const batches: (readonly Sample[])[] = [];
    const gates: string[] = [];
    const train = async (samples: readonly Sample[]) => {
      batches.push(samples);
      gates.push((await world.state()).gate.state);
      return { loss: batches.length };
    };
    const rounds = run(
      { train, publish: () => Promise.resolve({ weightsPath: `/w/${batches.length}` }) },
      { batchesPerUpdate: 2 },
    );
    await world.publish(4);
    await until(async () => (await world.state()).version === 1, { what: 'version 1' });
    await until(() => rounds.length === 1, { what: 'the round is noted' });
    expect(batches.map(({ length }) => length)).toEqual([2, 2]);
    expect(gates).toEqual(['serving', 'serving']);
    expect((await world.state()).acknowledged).toBe(4);
    expect((await world.bus.read(PolicyUpdated, '1'))?.body.head).toEqual({ metrics: { loss: 2 } });
  });

  it('trains behind the closed gate where engines have to give way', async () => {
    const gates: string[] = [];
    run(
      {
        train: async () => {
          gates.push((await world.state()).gate.state);
          return {};
        },
        publish: () => Promise.resolve({ weightsPath: '/w' }),
      },
      { sharesGpus: true },
    );
    await world.publish(2);
    await until(async () => (await world.state()).version === 1, { what: 'version 1' });
    expect(gates).toEqual(['updating']);
  });

  it('keeps its leases and the gate for as long as it trains', async () => {
    const publishLate = async () => {
      await until(async () => ((await world.state()).gate.until ?? 0) > begunUntil + 600, {
        what: 'the gate is extended',
      });
      return { weightsPath: '/w' };
    };
    let begunUntil = 0;
    const train = async () => {
      begunUntil = (await world.state()).gate.until ?? 0;
      return {};
    };
    run({ train, publish: publishLate }, { sharesGpus: true, gateLeaseMs: 500, leaseMs: 500 });
    await world.publish(2);
    await until(async () => (await world.state()).version === 1, { what: 'version 1', timeoutMs: 15_000 });
    expect((await world.state()).acknowledged).toBe(2);
  });

  it.each([false, true])('gives its batch back when the backend fails (shared GPUs: %s)', async (sharesGpus) => {
    let calls = 0;
    const rounds = run(
      {
        train: () => {
          calls += 1;
          return calls === 1 ? Promise.reject(new TypeError('out of memory')) : Promise.resolve({});
        },
        publish: () => Promise.resolve({ weightsPath: '/w' }),
      },
      { sharesGpus },
    );
    await world.publish(2);
    await until(() => rounds.length === 2, { what: 'a second round' });
    expect(rounds).toEqual([expect.objectContaining({ message: 'out of memory' }), 'trained']);
    expect(await world.state()).toMatchObject({ version: 1, acknowledged: 2 });
  });

  it('says that it is not well while the door is away, and goes on when it is back, with nothing to train on yet', async () => {
    const port = await freePort();
    const app = await startTrainer({ OPENCLAW_RL_TRAINER_DOOR_URL: `http://127.0.0.1:${port}` });
    endings.push(() => app.close());
    const url = await app.getUrl();
    const isWell = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
    await until(async () => !(await isWell()), { what: 'a round has failed' });
    const door = await startSubmitter(world.natsUrl, { OPENCLAW_RL_DOOR_PORT: String(port) });
    endings.push(() => door.close());
    await until(isWell, { what: 'it has asked the door again', timeoutMs: 15_000 });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('openclaw_rl_training_rounds_total{outcome="trained"} 0');
  });

  it('is not well while its training fails, though the door has samples for it', async () => {
    const told: string[] = [];
    run(
      { train: () => Promise.reject(new TypeError('out of memory')) },
      { onRound: (...[outcome]) => told.push(outcome), onIdle: () => told.push('idle') },
    );
    await until(() => told.includes('idle'), { what: 'it waits for samples' });
    await world.publish(2);
    await until(() => told.filter((each) => each === 'failed').length >= 3, { what: 'it has failed three times' });
    expect(new Set(told.slice(told.indexOf('failed')))).toEqual(new Set(['failed']));
  });

  it('says what a round of training spent its time on', async () => {
    const found: unknown[] = [];
    run(
      { train: () => Promise.resolve({ loss: 1 }), publish: () => Promise.resolve({ weightsPath: '/w' }) },
      { onRound: (...[, round]) => found.push(round) },
    );
    await world.publish(2);
    await until(() => found.length === 1, { what: 'a round' });
    const seconds = expect.any(Number);
    expect(found).toEqual([{ loss: 1, wait_seconds: seconds, publish_seconds: seconds, update_seconds: seconds }]);
  });

  it('shows the door its key', async () => {
    const locked = await startSubmitter(world.natsUrl, { OPENCLAW_RL_DOOR_API_KEYS: 'secret' });
    endings.push(() => locked.close());
    const wish = { count: 1, waitMs: 0, leaseMs: 1000 };
    const at = (apiKey: string) => new DoorClient({ url: locked.url, apiKey, trainer: 't' });
    await expect(at('wrong').lease(wish, new AbortController().signal)).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    expect(await at('secret').lease(wish, new AbortController().signal)).toBeNull();
  });
});
