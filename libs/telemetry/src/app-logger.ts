import { ConsoleLogger, type LogLevel as NestLevel } from '@nestjs/common';
import { LOG_LEVELS, type LogLevel } from '@app/config';

const NEST_LEVELS = { error: 'error', warn: 'warn', info: 'log', debug: 'debug' } as const;

const NEST_START = new Set([
  'NestFactory',
  'NestMicroservice',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Whether a message is what Nest says about itself while it starts; its context stands last. */
export const isOfNestStart = (rest: readonly unknown[]): boolean => NEST_START.has(String(rest.at(-1)));

/** One line a message, `time level [context] text`. What Nest says about itself while it starts is for the level debug. */
export class AppLogger extends ConsoleLogger {
  constructor(level: LogLevel) {
    const shown = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
    super({ colors: false, logLevels: ['fatal', ...shown.map((each) => NEST_LEVELS[each])] });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (isOfNestStart(rest)) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }

  protected override formatMessage(level: NestLevel, message: unknown, ...rest: unknown[]): string {
    // Nest hands in: process id, level, context in brackets, time since the last message.
    const [, , context] = rest;
    const name = level === 'log' ? 'info' : level;
    return `${new Date().toISOString()} ${name.padEnd(5)} ${String(context)}${String(message)}\n`;
  }
}
