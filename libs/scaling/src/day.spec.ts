import { simulateDay } from './day';
import type { DayPlan } from './day-plan';
import { DEFAULT_GPU, DEFAULT_LOAD } from './load';

// Hundreds of thousands of turns take a busy machine their time.
jest.setTimeout(120_000);

const plan = (extra: Partial<DayPlan> = {}): DayPlan => ({
  load: { ...DEFAULT_LOAD, users: 200, peakFactor: 1, followedShare: 1, sampledShare: 1, asksForHints: false },
  // One turn at a time, 3 votes of 0.1 s each: 0.23 turns/s of 3.33 that it could do.
  gpu: { ...DEFAULT_GPU, prefillTokensPerSecond: 1500 / 0.05, decodeTokensPerSecond: 300 / 0.05, turnsAtOnce: 1 },
  judges: 1,
  teachers: 1,
  sharesGpus: false,
  failingShare: 0,
  outage: null,
  probeSeconds: 10,
  queueSize: 64,
  hours: 24,
  intervalSeconds: 600,
  seed: 1,
  ...extra,
});

const withLoad = (extra: Partial<DayPlan['load']>): Partial<DayPlan> => ({ load: { ...plan().load, ...extra } });

describe('a simulated day', () => {
  it('brings all that comes to its end, as much as the load says', () => {
    const { turns, held, judge, teacher, trainer } = simulateDay(plan(withLoad({ trainingSeconds: 30 })));
    // Five standard deviations of 20,000 arrivals.
    expect(Math.abs(turns - 20_000)).toBeLessThan(5 * Math.sqrt(20_000));
    expect([held.done, judge.done, teacher.arrived]).toEqual([turns, turns, 0]);
    expect(judge.busy.mean).toBeCloseTo(0.2315 * 0.3, 2);
    expect(trainer.refused).toBe(0);
    expect(trainer.updates).toBe(Math.floor(turns / 16));
  });

  it('is the same for the same plan, and another for another seed', () => {
    const [one, again, other] = [simulateDay(plan()), simulateDay(plan()), simulateDay(plan({ seed: 2 }))];
    expect(again).toEqual(one);
    expect(other.judge.waits.sum).not.toBe(one.judge.waits.sum);
  });

  it('has the same people come to more judges, who keep them waiting less', () => {
    const [one, two] = [simulateDay(plan()), simulateDay(plan({ judges: 2 }))];
    expect(two.turns).toBe(one.turns);
    expect(two.judge.busy.area).toBeCloseTo(one.judge.busy.area, 3);
    expect(two.judge.waits.mean).toBeLessThan(one.judge.waits.mean / 2);
  });

  it('holds chats while weights are changed, as long as they are changed', () => {
    const { held, judge } = simulateDay(plan(withLoad({ closedSeconds: 20 })));
    const { held: open } = simulateDay(plan(withLoad({ closedSeconds: 0 })));
    expect(held.waits.most).toBeGreaterThan(15);
    expect(held.waits.most).toBeLessThanOrEqual(20);
    expect(open.waits.most).toBe(0);
    // A judge with GPUs of its own goes on meanwhile.
    expect(judge.waits.most).toBeLessThan(15);
  });

  it('has a judge on the same GPUs wait with them', () => {
    const { judge } = simulateDay(plan({ ...withLoad({ closedSeconds: 20 }), sharesGpus: true }));
    expect(judge.waits.most).toBeGreaterThan(15);
  });

  it('keeps what comes in an outage, and works it off in the time that what is spare takes', () => {
    const outage = { fromSeconds: 10 * 3600, seconds: 595 };
    const { judge, recoverySeconds } = simulateDay(plan({ ...withLoad({ users: 1000 }), outage }));
    // 1.157 turns/s for 600 s (until the next probe): 694; then 3.333 - 1.157 turns/s are worked off, until one waits no more.
    expect(judge.waiting.most).toBeGreaterThan(600);
    expect(judge.waiting.most).toBeLessThan(790);
    expect(recoverySeconds).toBeGreaterThan(5 + 270);
    expect(recoverySeconds).toBeLessThan(5 + 370);
    expect(judge.done).toBe(judge.arrived);
    expect(judge.waits.most).toBeGreaterThan(595);
  });

  it('tries again what failed, which costs its time once more', () => {
    const [{ judge }, { judge: failing }] = [simulateDay(plan()), simulateDay(plan({ failingShare: 0.2 }))];
    expect([failing.arrived, failing.done]).toEqual([judge.arrived, judge.arrived]);
    // 1 / (1 - 0.2) tries each.
    expect(failing.busy.area / judge.busy.area).toBeCloseTo(1.25, 1);
    // It comes back after 0.25 s, then 0.5 s.
    expect(failing.waits.mean).toBeGreaterThan(judge.waits.mean + 0.05);
  });

  it('refuses samples when more come than a trainer takes', () => {
    const { trainer, turns } = simulateDay({
      ...plan(withLoad({ users: 2000, trainingSeconds: 90, closedSeconds: 10 })),
      hours: 6,
    });
    // 2.3 samples/s against 16 in 100 s.
    expect(trainer.waiting.most).toBe(64);
    expect(trainer.updates * 16 + trainer.refused).toBeLessThanOrEqual(turns);
    expect(trainer.refused / turns).toBeCloseTo(1 - 0.16 / 2.315, 1);
  });

  it('waits for both halves where hints are asked for', () => {
    const hinted = plan({ ...withLoad({ asksForHints: true, hintedShare: 0 }), hours: 1 });
    const { judge, teacher } = simulateDay(hinted);
    expect([teacher.arrived, teacher.done]).toEqual([judge.arrived, judge.done]);
    const slow = simulateDay({
      ...hinted,
      teachers: 1,
      load: { ...hinted.load, hintedShare: 1, promptTokens: 600_000 },
    });
    // 20 s a turn for the teacher: 180 samples an hour, and until the last of them is there.
    expect(slow.teacher.waits.most).toBeGreaterThan(3600);
    expect(slow.trainer.updates).toBe(Math.floor(slow.judge.done / 16));
  });
});
