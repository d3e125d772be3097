import type { DynamicModule, INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { LogFormat, LogLevel, Settings } from '@app/config';
import { AppLogger } from './app-logger';
import { endConnectionsAtClose } from './end-connections';
import { JsonLogger } from './json-logger';

/** How an app is started. */
export interface AppOptions {
  readonly module: Type | DynamicModule;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly logLevel: LogLevel;
  /** text for people, json for programs that collect logs. */
  readonly logFormat: LogFormat;
  readonly adapter?: FastifyAdapter;
  /** Called before the app listens. */
  readonly configure?: (app: NestFastifyApplication) => void;
}

/**
 * Boots one app on fastify, prints one line `ready on <url>`, and closes it on SIGTERM or SIGINT: intake first, then what is
 * in hand, then the bus.
 */
export const runApp = async (options: AppOptions): Promise<INestApplication> => {
  const adapter = options.adapter ?? new FastifyAdapter();
  const { logLevel, logFormat } = options;
  const logger = logFormat === 'json' ? new JsonLogger(logLevel) : new AppLogger(logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(options.module, adapter, {
    logger,
    abortOnError: false,
  });
  endConnectionsAtClose(app);
  options.configure?.(app);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
  await app.startAllMicroservices();
  await app.listen(options.port, options.host);
  // Not by the logger: `npm start` waits for this line at every log level.
  process.stdout.write(`ready on ${await app.getUrl()}\n`);
  return app;
};

/** Boots an app that serves nothing but its health and metrics. */
export const runWorker = (module: DynamicModule, { metrics, logs }: Settings): Promise<INestApplication> =>
  runApp({ module, host: metrics.host, port: metrics.port, logLevel: logs.level, logFormat: logs.format });

/** Runs an app's main function; what stops it at start is told in one line, without a stack, and ends the process with 1. */
export const launch = (name: string, main: () => Promise<unknown>): void => {
  main().catch((error: unknown) => {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
};
