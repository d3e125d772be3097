import { Logger } from '@nestjs/common';
import { Telemetry } from './telemetry';

describe('Telemetry', () => {
  const lines: string[] = [];
  const note = (line: unknown): void => void lines.push(String(line));
  beforeEach(() => {
    lines.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(note);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(note);
    jest.spyOn(Logger.prototype, 'debug').mockImplementation(note);
  });
  afterEach(() => jest.restoreAllMocks());

  it('shows whether the bus is there', async () => {
    const telemetry = new Telemetry();
    telemetry.busConnected(true);
    await expect(telemetry.registry.metrics()).resolves.toContain('openclaw_rl_bus_up 1');
    telemetry.busConnected(false);
    await expect(telemetry.registry.metrics()).resolves.toContain('openclaw_rl_bus_up 0');
    expect(lines).toHaveLength(2);
  });

  it('counts and tells a failed delivery by its kind of error', async () => {
    const telemetry = new Telemetry();
    telemetry.handlerFailed({ subject: 'rl.turn.followed.v1.a', deliveries: 3 }, new TypeError('no model'));
    telemetry.handlerFailed({ subject: 'rl.turn.followed.v1.a', deliveries: 4 }, 'thrown');
    expect(lines[0]).toBe('turn a: rl.turn.followed.v1.a, delivery 3: TypeError: no model');
    const text = await telemetry.registry.metrics();
    expect(text).toContain('openclaw_rl_handler_errors_total{error="TypeError"} 1');
    expect(text).toContain('openclaw_rl_handler_errors_total{error="string"} 1');
  });

  it('tells of a message that was stored, with its turn where it has one', () => {
    const telemetry = new Telemetry();
    for (const subject of ['rl.turn.judged.v1.a', 'rl.session.ended.v1.s.1']) telemetry.messageStored(subject);
    expect(lines).toEqual(['turn a: rl.turn.judged.v1.a, stored', 'rl.session.ended.v1.s.1, stored']);
  });

  it('does not tell what a parser could not read', () => {
    let quoting: unknown;
    try {
      JSON.parse('my secret');
    } catch (error) {
      quoting = error;
    }
    new Telemetry().handlerFailed({ subject: 's', deliveries: 1 }, quoting);
    expect(lines[0]).toContain('SyntaxError');
    expect(lines[0]).not.toContain('secret');
  });
});
