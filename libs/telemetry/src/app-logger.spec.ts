import { AppLogger } from './app-logger';
import { TurnLine } from './turn-line';

describe('AppLogger', () => {
  const written: string[] = [];

  beforeEach(() => {
    written.length = 0;
    const write = (text: unknown): boolean => written.push(String(text)) > 0;
    for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(write);
  });
  afterEach(() => jest.restoreAllMocks());

  it('writes one line a message: time, level, who speaks, and the turn where it is about one', () => {
    new AppLogger('info').warn(new TurnLine('t-7', 'was lost'), 'capture');
    expect(written.join('')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn {2}\[capture\] turn t-7: was lost\n$/);
  });

  it('is silent below its level', () => {
    new AppLogger('info').debug('a', 'x');
    new AppLogger('info').log('b', 'x');
    expect(written.join('')).toMatch(/info {2}\[x\] b\n$/);
    expect(written).toHaveLength(1);
  });
});
