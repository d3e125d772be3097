import { isatty } from 'node:tty';
import { ConsoleLogger, type DynamicModule, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** How an app is started. */
export interface AppOptions {
  readonly name: string;
  readonly module: Type | DynamicModule;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly logLevel: LogLevel;
  readonly adapter?: FastifyAdapter;
  /** Called before the app listens. */
  readonly configure?: (app: NestFastifyApplication) => void;
}

/** From the most to the least silent. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

const NEST_LEVELS = { error: 'error', warn: 'warn', info: 'log', debug: 'debug' } as const;

const NEST_START = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Keeps what Nest says about itself while it starts for the level debug. */
class AppLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (NEST_START.has(String(rest.at(-1)))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}

const createLogger = (name: string, level: LogLevel): ConsoleLogger =>
  new AppLogger({
    prefix: name,
    colors: isatty(1),
    logLevels: ['fatal', ...LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1).map((each) => NEST_LEVELS[each])],
  });

/**
 * Boots one app on fastify, prints one line `ready on <url>`, and closes it on SIGTERM or SIGINT: intake first, then what is
 * in hand, then the bus.
 */
export const runApp = async (options: AppOptions): Promise<INestApplication> => {
  const logger = createLogger(options.name, options.logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(
    options.module,
    options.adapter ?? new FastifyAdapter(),
    {
      logger,
      abortOnError: false,
    },
  );
  options.configure?.(app);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
  await app.listen(options.port, options.host);
  // Not by the logger: `npm start` waits for this line at every log level.
  process.stdout.write(`ready on ${await app.getUrl()}\n`);
  return app;
};

/** Runs an app's main function; what stops it at start is told in one line, without a stack, and ends the process with 1. */
export const launch = (name: string, main: () => Promise<unknown>): void => {
  main().catch((error: unknown) => {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
};
