import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { PolicyAnswered, PolicyUpdated } from '@app/contracts';
import { decodeCheckpoint } from '@app/pocket-lm';
import { until, type EngineDouble } from '@app/testing';
import { writeTinyModel } from '../../apps/trainer/src/pocket/fixtures/tiny-samples';
import { get, post, type Submitter } from './submitter-harness';
import { startTrainer, startTrainerWorld, type TrainerWorld } from './trainer-harness';

describe('the trainer with the pocket model', () => {
  let world: TrainerWorld;
  let engine: EngineDouble;
  let door: Submitter;
  let root: string;
  const trainers: INestApplication[] = [];

  const serves = (version: number) =>
    until(async () => (await world.state()).version === version, {
      what: `version ${version} serves`,
      timeoutMs: 15_000,
    });
  const loads = (): string[] =>
    engine.requests
      .filter(({ path }) => path === '/update_weights_from_disk')
      .map(({ body }) => (body as { model_path: string }).model_path);
  const start = async (env: Record<string, string> = {}): Promise<INestApplication> => {
    const app = await startTrainer({
      OPENCLAW_RL_TRAINER_DOOR_URL: door.url,
      OPENCLAW_RL_TRAINER_BACKEND: 'pocket',
      OPENCLAW_RL_POCKET_MODEL_DIR: join(root, 'base'),
      OPENCLAW_RL_TRAINING_WEIGHTS_DIR: join(root, 'weights'),
      OPENCLAW_RL_RL_ROLLOUT_STEPS: '2',
      ...env,
    });
    trainers.push(app);
    return app;
  };
  const failures = async (app: INestApplication): Promise<number> => {
    const metrics = await (await fetch(`${await app.getUrl()}/metrics`)).text();
    return Number(/openclaw_rl_training_rounds_total\{outcome="failed"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  };
  const stepsIn = (folder: string): number =>
    decodeCheckpoint(readFileSync(join(folder, 'checkpoint.safetensors'))).optimizer.steps;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'pocket-trainer-'));
    await writeTinyModel(join(root, 'base'));
    world = await startTrainerWorld();
    ({ engine, door } = world);
  });
  afterEach(async () => {
    for (const app of trainers.splice(0)) await app.close();
    await world.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('trains on a batch, puts the new weights in, and tells what it found', async () => {
    const app = await start();
    await world.publish(2);
    await serves(1);
    const [folder] = loads();
    expect(resolve(folder!, '..')).toBe(join(root, 'weights'));
    expect(await world.state()).toMatchObject({ acknowledged: 2, weightsPath: folder });
    expect((await get(door.url, '/v1/policy')).body.weights_path).toBe(folder);
    const told = (await until(() => world.bus.read(PolicyUpdated, '1'), { what: 'the new version is told' })).body.head;
    expect(told.metrics).toMatchObject({ samples: 2, skipped: 0, staleness: 0, mean_score: 1 });
    expect(told.metrics.gradient_norm).toBeGreaterThan(0);
    const metrics = await (await fetch(`${await app.getUrl()}/metrics`)).text();
    expect(metrics).toMatch(/openclaw_rl_training\{kind="loss"\} -?\d/);
    expect(metrics).toContain('openclaw_rl_training_rounds_total{outcome="trained"} 1');
  });

  it('reports what the weights say to held-out prompts, before an update and after it', async () => {
    const prompts = ['Mia has 7 apples and finds 4 more. How many apples are there now?', 'What is 3 + 4?'];
    await start({
      OPENCLAW_RL_POCKET_MODEL_DIR: 'libs/pocket-lm/weights',
      OPENCLAW_RL_TRAINING_HELD_OUT_PROMPTS: prompts.join('\n'),
      // Every weight moves, so far that every answer becomes another one, however little the samples ask for it.
      OPENCLAW_RL_TRAINING_LEARNING_RATE: '0.1',
      OPENCLAW_RL_TRAINING_EPSILON: '1e-12',
    });
    await world.publish(2);
    const first = await until(() => world.bus.read(PolicyAnswered, '1'), { what: 'the answers', timeoutMs: 60_000 });
    const { answers } = first.body.head;
    expect(answers.map(({ prompt }) => prompt)).toEqual(prompts);
    expect(answers[0]!.before).toContain('11');
    for (const { before, after } of answers) expect(after).not.toBe(before);
    await world.publish(2);
    const second = await until(() => world.bus.read(PolicyAnswered, '2'), { what: 'more', timeoutMs: 60_000 });
    expect(second.body.head.answers.map(({ before }) => before)).toEqual(answers.map(({ after }) => after));
  }, 150_000);

  it('reports no answers where nobody asks', async () => {
    await start();
    await world.publish(2);
    await until(() => world.bus.read(PolicyUpdated, '1'), { what: 'the new version is told' });
    await world.publish(2);
    await serves(2);
    expect(await world.bus.read(PolicyAnswered, '1')).toBeNull();
  });

  it('goes on after a restart from the weights that serve, with its moments', async () => {
    await start();
    await world.publish(2);
    await serves(1);
    await trainers.splice(0)[0]!.close();
    await start({ OPENCLAW_RL_TRAINING_STEPS_PER_BATCH: '3' });
    await world.publish(2);
    await serves(2);
    expect(loads().map(stepsIn)).toEqual([1, 4]);
  });

  it('puts new weights in after rl.update_interval batches', async () => {
    await start({ OPENCLAW_RL_RL_UPDATE_INTERVAL: '2' });
    await world.publish(4);
    await serves(1);
    expect((await world.state()).acknowledged).toBe(4);
    expect(loads().map(stepsIn)).toEqual([2]);
  });

  it('forgets what did not go live, and trains that batch again from what serves', async () => {
    engine.set({ apiKey: 'not ours' });
    const app = await start();
    await world.publish(2);
    await until(async () => (await failures(app)) > 0, { what: 'a round has failed' });
    engine.set({ apiKey: undefined });
    await serves(1);
    expect(readdirSync(join(root, 'weights')).length).toBeGreaterThan(1);
    expect(loads().map(stepsIn)).toEqual([1]);
  });

  it('trains from no weights but those that serve: not before it knows where these are', async () => {
    await start();
    await world.publish(2);
    await serves(1);
    await trainers.splice(0)[0]!.close();
    const put = async (weights: object): Promise<void> => {
      const { body } = await post(door.url, '/v1/policy/updates', {
        request_id: JSON.stringify(weights),
        trainer: 'me',
      });
      await post(door.url, `/v1/policy/updates/${body.token}/commit`, weights);
    };
    const [folder] = loads();
    await put({ engine_version: '1-1' });
    await serves(2);
    const app = await start();
    await world.publish(2);
    await until(async () => (await failures(app)) > 0, { what: 'a round has failed' });
    expect((await world.state()).version).toBe(2);
    await put({ weights_path: folder });
    await serves(4);
    expect(loads().map(stepsIn)).toEqual([1, 1, 2]);
  });

  it('keeps each so many weights', async () => {
    await start({ OPENCLAW_RL_TRAINING_CHECKPOINT_EVERY: '2' });
    for (const version of [1, 2, 3, 4, 5]) {
      await world.publish(2);
      await serves(version);
    }
    const kept = readdirSync(join(root, 'weights')).map((name) => Number(name.split('-')[1]));
    expect(kept.sort()).toEqual([2, 3, 4, 5]);
  });

  it('trains again where another trainer has put other weights in meanwhile', async () => {
    const asked = (): number => engine.requests.filter(({ path }) => path === '/model_info').length;
    const before = asked();
    const app = await start();
    await until(() => asked() > before, { what: 'the trainer has asked what serves' });
    const begun = await post(door.url, '/v1/policy/updates', { request_id: 'other', trainer: 'other' });
    await post(door.url, `/v1/policy/updates/${begun.body.token}/commit`, { weights_path: join(root, 'base') });
    await serves(1);
    await world.publish(2);
    await serves(2);
    const last = loads().at(-1)!;
    expect((await world.state()).weightsPath).toBe(last);
    expect(stepsIn(last)).toBe(1);
    expect(await failures(app)).toBe(1);
  });
});
