import { Breaker } from './breaker';

const breaker = () => new Breaker({ failures: 3, openMs: 1000 });

const failed = (count: number, now: number): Breaker => {
  const made = breaker();
  for (let i = 0; i < count; i += 1) made.settle('go', 'down', now);
  return made;
};

describe('Breaker', () => {
  it('stays closed up to the last failure before the limit', () => {
    expect(failed(2, 0).admit(0)).toBe('go');
    expect(failed(3, 0).admit(0)).toBe('stop');
  });

  it('counts failures in a row only', () => {
    const made = failed(2, 0);
    made.settle('go', 'up', 0);
    made.settle('go', 'down', 0);
    expect(made.isOpen).toBe(false);
  });

  it('does not count calls that were given up', () => {
    const made = failed(2, 0);
    made.settle('go', 'unknown', 0);
    expect(made.isOpen).toBe(false);
  });

  it('lets one call find out, once the time is over', () => {
    const made = failed(3, 0);
    expect([made.admit(999), made.waitMs(999)]).toEqual(['stop', 1]);
    expect([made.admit(1000), made.admit(1000), made.admit(5000)]).toEqual(['probe', 'wait', 'wait']);
  });

  it('closes when the probe succeeds', () => {
    const made = failed(3, 0);
    made.admit(1000);
    made.settle('probe', 'up', 1010);
    expect([made.isOpen, made.waitMs(1010), made.admit(1010)]).toEqual([false, 0, 'go']);
  });

  it('opens anew when the probe fails, for as long as the engine asks', () => {
    const made = failed(3, 0);
    made.admit(1000);
    made.settle('probe', 'down', 1010, 4000);
    expect([made.admit(5009), made.admit(5010)]).toEqual(['stop', 'probe']);
  });

  it('sends another probe when the first was given up', () => {
    const made = failed(3, 0);
    made.admit(1000);
    made.settle('probe', 'unknown', 1010);
    expect(made.admit(1010)).toBe('probe');
  });

  it('is not held open longer by failures of calls made before it opened', () => {
    const made = failed(3, 0);
    made.settle('go', 'down', 900);
    expect(made.admit(1000)).toBe('probe');
  });

  it('is closed by a late success', () => {
    const made = failed(3, 0);
    made.settle('go', 'up', 10);
    expect(made.admit(10)).toBe('go');
  });
});
