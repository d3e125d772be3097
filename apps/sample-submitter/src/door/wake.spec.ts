import { sleepUntil, Wake } from './wake';

const FOR_EVER = 2 ** 30;

describe('Wake', () => {
  it('wakes everybody who took their place before, once', async () => {
    const wake = new Wake();
    const never = new AbortController().signal;
    const sleepers = [sleepUntil(wake.next(), FOR_EVER, never), sleepUntil(wake.next(), FOR_EVER, never)];
    wake.notify();
    await Promise.all(sleepers);
    let isAwake = false;
    void wake.next().then(() => (isAwake = true));
    await Promise.resolve();
    expect(isAwake).toBe(false);
  });

  it('lets a sleeper go when its time is over or it is called off', async () => {
    const wake = new Wake();
    await sleepUntil(wake.next(), 1, new AbortController().signal);
    await sleepUntil(wake.next(), FOR_EVER, AbortSignal.abort());
    const controller = new AbortController();
    const sleeping = sleepUntil(wake.next(), FOR_EVER, controller.signal);
    controller.abort();
    await expect(sleeping).resolves.toBeUndefined();
  });
});
