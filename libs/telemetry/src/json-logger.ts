import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '@app/config';
import { isOfNestStart } from './app-logger';
import { TurnLine } from './turn-line';

/** A message as fields of its line. */
const fieldsOf = (message: unknown): { msg: string; turn?: string } =>
  message instanceof TurnLine ? { turn: message.turnId, msg: message.text } : { msg: String(message) };

/**
 * One JSON object a message, for programs that read logs: `level`, `time`, `context`, `msg`, `turn` where it is about one, and
 * `stack` of an error.
 */
export class JsonLogger implements LoggerService {
  private readonly out: Logger;

  /** @param to standard output, unless a test wants to read along */
  constructor(level: LogLevel, to?: DestinationStream) {
    const options = {
      level,
      // Which process and machine it was, the container's name says.
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    this.out = to === undefined ? pino(options) : pino(options, to);
  }

  // Nest hands in the context last, and before it, with an error, the stack.
  log(message: unknown, ...rest: unknown[]): void {
    this.out[isOfNestStart(rest) ? 'debug' : 'info']({ context: rest.at(-1), ...fieldsOf(message) });
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.out.warn({ context: rest.at(-1), ...fieldsOf(message) });
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.out.debug({ context: rest.at(-1), ...fieldsOf(message) });
  }

  error(message: unknown, ...rest: unknown[]): void {
    const stack = rest.length > 1 ? rest[0] : undefined;
    this.out.error({ context: rest.at(-1), stack, ...fieldsOf(message) });
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.out.fatal({ context: rest.at(-1), ...fieldsOf(message) });
  }
}
