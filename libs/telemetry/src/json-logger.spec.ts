import { JsonLogger } from './json-logger';
import { TurnLine } from './turn-line';

describe('JsonLogger', () => {
  let lines: Record<string, unknown>[];
  const loggerAt = (level: 'debug' | 'info' | 'error'): JsonLogger =>
    new JsonLogger(level, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });

  beforeEach(() => {
    lines = [];
  });

  it('writes one object a message, with its level in words, its time, and who speaks', () => {
    loggerAt('info').warn('turn 7 was lost', 'capture');
    expect(lines).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        context: 'capture',
        msg: 'turn 7 was lost',
      },
    ]);
  });

  it('has the id of the turn that a message is about in a field of its own, at every level', () => {
    const logger = loggerAt('debug');
    for (const level of ['log', 'warn', 'debug', 'error', 'fatal'] as const)
      logger[level](new TurnLine('t-7', 'was lost'), 'capture');
    expect(lines.map(({ level, turn, msg }) => [level, turn, msg])).toEqual(
      ['info', 'warn', 'debug', 'error', 'fatal'].map((level) => [level, 't-7', 'was lost']),
    );
  });

  it('keeps the stack of an error apart from its message', () => {
    loggerAt('error').error('it failed', 'Error: it failed\n    at here', 'door');
    expect(lines).toMatchObject([
      { level: 'error', context: 'door', msg: 'it failed', stack: 'Error: it failed\n    at here' },
    ]);
  });

  it('is silent below its level', () => {
    const logger = loggerAt('error');
    logger.log('a', 'x');
    logger.warn('b', 'x');
    logger.debug('c', 'x');
    logger.error('d', 'x');
    logger.fatal('e', 'x');
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['error', 'd'],
      ['fatal', 'e'],
    ]);
  });

  it('keeps what Nest says of its own start for the level debug', () => {
    loggerAt('info').log('Starting Nest application...', 'NestFactory');
    loggerAt('info').log('ready', 'gateway');
    loggerAt('debug').log('Starting Nest application...', 'NestFactory');
    expect(lines.map(({ level, context }) => [level, context])).toEqual([
      ['info', 'gateway'],
      ['debug', 'NestFactory'],
    ]);
  });
});
