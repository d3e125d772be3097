import { Phases } from './phases';

describe('Phases', () => {
  let time = 0;
  const takes = (millis: number) => (): Promise<string> => {
    time += millis;
    return Promise.resolve('done');
  };

  it('adds up the seconds of each phase that there was, and hands results on', async () => {
    const phases = new Phases(() => time);
    await expect(phases.time('wait', takes(500))).resolves.toBe('done');
    await phases.time('wait', takes(1000));
    await phases.time('publish', takes(250));
    expect(phases.numbers).toEqual({ wait_seconds: 1.5, publish_seconds: 0.25 });
  });

  it('counts what failed as well', async () => {
    const phases = new Phases(() => time);
    const failing = async (): Promise<void> => {
      await takes(100)();
      throw new Error('no');
    };
    await expect(phases.time('update', failing)).rejects.toThrow('no');
    expect(phases.numbers).toEqual({ update_seconds: 0.1 });
  });
});
