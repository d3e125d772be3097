import type { DynamicModule, LoggerService } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Telemetry } from '@app/telemetry';

/** One replica of an app inside the test's process; what it says goes to `logged`. */
export const startWorker = async (module: DynamicModule, logged: string[]): Promise<NestFastifyApplication> => {
  const keep = (line: unknown): void => {
    logged.push(String(line));
  };
  const logger: LoggerService = { log: keep, warn: keep, error: keep, fatal: keep };
  const testing = await Test.createTestingModule({ imports: [module] }).compile();
  const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger });
  await app.listen(0, '127.0.0.1');
  return app;
};

/** Values of a metric by its only label, or its only value by ''. */
export const metricOf = async (app: NestFastifyApplication, name: string): Promise<Record<string, number>> => {
  const { values } = await app.get(Telemetry).registry.getSingleMetric(`openclaw_rl_${name}`)!.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(Object.values(labels)[0] ?? ''), value]));
};
