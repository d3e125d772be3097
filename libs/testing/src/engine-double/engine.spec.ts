import { Engine, Job } from './engine';

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
};

describe('Engine', () => {
  it('holds jobs while paused, and lets them go on afterwards', async () => {
    const engine = new Engine({});
    engine.pauseGeneration('in_place');
    const waiting = engine.whileOpen(new Job('a'));
    expect(await settled(waiting)).toBe(false);
    engine.continueGeneration();
    expect(await settled(waiting)).toBe(true);
  });

  it('does not hold a job that was aborted', async () => {
    const engine = new Engine({});
    const job = new Job('a');
    engine.pauseGeneration('retract');
    const waiting = engine.whileOpen(job);
    job.abort('gone');
    expect(await settled(waiting)).toBe(true);
  });

  it('aborts running jobs by prefix or all, and those only', () => {
    const engine = new Engine({});
    const [a, b, outside] = [new Job('turn-1'), new Job('turn-2'), new Job('turn-1')];
    engine.begin(a);
    engine.begin(b);
    engine.abort('', false);
    expect([a.abortMessage, b.abortMessage]).toEqual([undefined, undefined]);
    engine.abort('turn-1', false);
    expect([a.abortMessage !== undefined, b.abortMessage]).toEqual([true, undefined]);
    engine.abort('', true);
    expect(b.abortMessage).toBeDefined();
    expect(outside.abortMessage).toBeUndefined();
  });

  it('is idle when the last job has ended', async () => {
    const engine = new Engine({});
    const [a, b] = [new Job('a'), new Job('b')];
    engine.begin(a);
    engine.begin(b);
    const idle = engine.idle();
    engine.end(a);
    expect(await settled(idle)).toBe(false);
    engine.end(b);
    expect(await settled(idle)).toBe(true);
    expect(await settled(engine.idle())).toBe(true);
  });

  it('counts weight versions up', () => {
    expect(new Engine({}).nextWeightVersion()).toBe('1');
    expect(new Engine({ weightVersion: '41' }).nextWeightVersion()).toBe('42');
  });
});
