import { Stopwatch } from './stopwatch';

describe('Stopwatch', () => {
  let now: number;

  beforeEach(() => {
    now = 5000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('counts from its beginning, without the time that it was stopped', () => {
    const watch = new Stopwatch();
    now += 20;
    watch.stop();
    now += 1000;
    expect(watch.seconds).toBe(0.02);
    watch.goOn();
    now += 5;
    expect(watch.seconds).toBeCloseTo(0.025, 12);
  });

  it('goes on as it did if it is told to while it runs', () => {
    const watch = new Stopwatch();
    now += 10;
    watch.goOn();
    now += 10;
    expect(watch.seconds).toBe(0.02);
  });
});
