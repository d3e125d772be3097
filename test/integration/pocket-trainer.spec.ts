import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Bus } from '@app/bus';
import { PolicyUpdated } from '@app/contracts';
import { decodeCheckpoint } from '@app/pocket-lm';
import { PolicyStore, type PolicyState } from '@app/pools';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { writeTinyModel } from '../../apps/trainer/src/pocket/fixtures/tiny-samples';
import { TrainerModule } from '../../apps/trainer/src/trainer.module';
import { settingsFrom } from '../support/settings-from';
import { connectBus, get, post, publishTurn, settledOf, startSubmitter, type Submitter } from './submitter-harness';

describe('the trainer with the pocket model', () => {
  let nats: NatsServer;
  let bus: Bus;
  let engine: EngineDouble;
  let door: Submitter;
  let root: string;
  let names = 0;
  const trainers: INestApplication[] = [];

  const publish = async (count: number): Promise<void> => {
    const turnIds = Array.from({ length: count }, () => `t${(names += 1)}`);
    const { version: policyVersion } = await state();
    for (const turnId of turnIds) await publishTurn(bus, turnId, 1, { policyVersion });
    for (const turnId of turnIds) await until(() => settledOf(bus, turnId), { what: `${turnId} is settled` });
  };
  const state = (): Promise<PolicyState> => new PolicyStore(bus).read();
  const serves = (version: number) =>
    until(async () => (await state()).version === version, { what: `version ${version} serves`, timeoutMs: 15_000 });
  const loads = (): string[] =>
    engine.requests
      .filter(({ path }) => path === '/update_weights_from_disk')
      .map(({ body }) => (body as { model_path: string }).model_path);
  const start = async (env: Record<string, string> = {}): Promise<INestApplication> => {
    const settings = settingsFrom({
      OPENCLAW_RL_TRAINER_DOOR_URL: door.url,
      OPENCLAW_RL_TRAINER_BACKEND: 'pocket',
      OPENCLAW_RL_POCKET_MODEL_DIR: join(root, 'base'),
      OPENCLAW_RL_TRAINING_WEIGHTS_DIR: join(root, 'weights'),
      OPENCLAW_RL_RL_ROLLOUT_STEPS: '2',
      ...env,
    });
    const app: INestApplication = await NestFactory.create(TrainerModule.forSettings(settings), new FastifyAdapter(), {
      logger: false,
    });
    await app.listen(0, '127.0.0.1');
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
    nats = await startNatsServer();
    bus = await connectBus(nats.url);
    engine = await startEngineDouble();
    door = await startSubmitter(nats.url, {
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
    });
  });
  afterEach(async () => {
    for (const app of trainers.splice(0)) await app.close();
    await door.close();
    await bus.close();
    await engine.close();
    await nats.stop();
    rmSync(root, { recursive: true, force: true });
  });

  it('trains on a batch, puts the new weights in, and tells what it found', async () => {
    const app = await start();
    await publish(2);
    await serves(1);
    const [folder] = loads();
    expect(resolve(folder!, '..')).toBe(join(root, 'weights'));
    expect(await state()).toMatchObject({ acknowledged: 2, weightsPath: folder });
    expect((await get(door.url, '/v1/policy')).body.weights_path).toBe(folder);
    const told = (await until(() => bus.read(PolicyUpdated, '1'), { what: 'the new version is told' })).body.head;
    expect(told.metrics).toMatchObject({ samples: 2, skipped: 0, staleness: 0, mean_score: 1 });
    expect(told.metrics.gradient_norm).toBeGreaterThan(0);
    const metrics = await (await fetch(`${await app.getUrl()}/metrics`)).text();
    expect(metrics).toMatch(/openclaw_rl_training\{kind="loss"\} -?\d/);
    expect(metrics).toContain('openclaw_rl_training_rounds_total{outcome="trained"} 1');
  });

  it('goes on after a restart from the weights that serve, with its moments', async () => {
    await start();
    await publish(2);
    await serves(1);
    await trainers.splice(0)[0]!.close();
    await start({ OPENCLAW_RL_TRAINING_STEPS_PER_BATCH: '3' });
    await publish(2);
    await serves(2);
    expect(loads().map(stepsIn)).toEqual([1, 4]);
  });

  it('forgets what did not go live, and trains that batch again from what serves', async () => {
    engine.set({ apiKey: 'not ours' });
    const app = await start();
    await publish(2);
    await until(async () => (await failures(app)) > 0, { what: 'a round has failed' });
    engine.set({ apiKey: undefined });
    await serves(1);
    expect(readdirSync(join(root, 'weights')).length).toBeGreaterThan(1);
    expect(loads().map(stepsIn)).toEqual([1]);
  });

  it('keeps each so many weights', async () => {
    await start({ OPENCLAW_RL_TRAINING_CHECKPOINT_EVERY: '2' });
    for (const version of [1, 2, 3, 4, 5]) {
      await publish(2);
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
    await publish(2);
    await serves(2);
    const last = loads().at(-1)!;
    expect((await state()).weightsPath).toBe(last);
    expect(stepsIn(last)).toBe(1);
    expect(await failures(app)).toBe(1);
  });
});
