import { Limiter } from './limiter';

const open = () => {
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish };
};

const never = new AbortController().signal;
const turnOver = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Limiter', () => {
  it('runs as many at once as there are places, the others in order', async () => {
    const limiter = new Limiter(2);
    const gates = [open(), open(), open(), open()];
    const started: number[] = [];
    const all = gates.map((gate, i) =>
      limiter.run(() => {
        started.push(i);
        return gate.done;
      }, never),
    );
    await turnOver();
    expect([started, limiter.running]).toEqual([[0, 1], 2]);
    gates[1]!.finish();
    await turnOver();
    expect(started).toEqual([0, 1, 2]);
    for (const gate of gates) gate.finish();
    await Promise.all(all);
    expect([started, limiter.running]).toEqual([[0, 1, 2, 3], 0]);
  });

  it('gives a place back when the work fails', async () => {
    const limiter = new Limiter(1);
    await expect(limiter.run(() => Promise.reject(new TypeError('no')), never)).rejects.toThrow('no');
    await expect(limiter.run(() => Promise.resolve(7), never)).resolves.toBe(7);
  });

  it('drops who gives up while waiting, and loses no place by it', async () => {
    const limiter = new Limiter(1);
    const gate = open();
    const first = limiter.run(() => gate.done, never);
    const leaving = new AbortController();
    const second = limiter.run(() => Promise.resolve('ran'), leaving.signal);
    leaving.abort(new RangeError('gone'));
    await expect(second).rejects.toThrow('gone');
    gate.finish();
    await first;
    await expect(limiter.run(() => Promise.resolve('free'), never)).resolves.toBe('free');
  });
});
