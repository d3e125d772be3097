import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Bus } from '@app/bus';
import { PolicyStore, type PolicyState } from '@app/pools';
import { startEngineDouble, startNatsServer, until, type EngineDouble } from '@app/testing';
import { TrainerModule } from '../../apps/trainer/src/trainer.module';
import { settingsFrom } from '../support/settings-from';
import { connectBus, publishTurn, settledOf, startSubmitter, type Submitter } from './submitter-harness';

/** What a trainer works with: a door on a real nats-server, and an engine that takes its weights. */
export interface TrainerWorld {
  readonly natsUrl: string;
  readonly bus: Bus;
  readonly engine: EngineDouble;
  readonly door: Submitter;
  /** Has so many samples made, of the version that serves. Returns their turns. */
  publish(count: number): Promise<string[]>;
  state(): Promise<PolicyState>;
  close(): Promise<void>;
}

export const startTrainerWorld = async (): Promise<TrainerWorld> => {
  const nats = await startNatsServer();
  const bus = await connectBus(nats.url);
  const engine = await startEngineDouble();
  const door = await startSubmitter(nats.url, {
    OPENCLAW_RL_SERVER_BASE_URL: engine.url,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
  });
  const state = (): Promise<PolicyState> => new PolicyStore(bus).read();
  let names = 0;
  return {
    ...{ natsUrl: nats.url, bus, engine, door, state },
    publish: async (count) => {
      const turnIds = Array.from({ length: count }, () => `t${(names += 1)}`);
      const { version: policyVersion } = await state();
      for (const turnId of turnIds) await publishTurn(bus, turnId, 1, { policyVersion });
      for (const turnId of turnIds) await until(() => settledOf(bus, turnId), { what: `${turnId} is settled` });
      return turnIds;
    },
    close: async () => {
      await door.close();
      await bus.close();
      await engine.close();
      await nats.stop();
    },
  };
};

/** The trainer inside the test's process, on a free port. */
export const startTrainer = async (env: Readonly<Record<string, string>>): Promise<INestApplication> => {
  const module = TrainerModule.forSettings(settingsFrom(env));
  const app: INestApplication = await NestFactory.create(module, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
};
