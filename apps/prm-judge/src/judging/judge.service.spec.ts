import { OutageError } from '@app/bus';
import { Settings } from '@app/config';
import { EngineStatusError, EngineTimeoutError } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import type { JudgeEngine, Verdict } from './judge-engine';
import { JudgeService } from './judge.service';

type Outcome = Verdict['score'] | 'refused' | 'down';

const turn = {
  messages: [{ role: 'user', content: 'hi' }],
  response: { role: 'assistant', content: 'hello' },
  nextState: [{ role: 'user', content: 'thanks' }],
  role: 'user' as const,
};
const options = { signal: new AbortController().signal, deliveries: 1 };

/** A judge whose votes end as the script says, the last outcome for ever. */
const setUp = (...script: Outcome[]) => {
  const queue = [...script];
  const telemetry = new Telemetry();
  const engine = {
    model: 'judge-1',
    isPaused: false,
    pauseMs: () => 0,
    ask: () => {
      const outcome = queue.length > 1 ? queue.shift()! : queue[0]!;
      if (outcome === 'refused') return Promise.reject(new EngineStatusError(400));
      if (outcome === 'down') return Promise.reject(new EngineTimeoutError(5));
      return Promise.resolve({ score: outcome, text: `said ${outcome}` });
    },
  };
  const service = new JudgeService(engine as unknown as JudgeEngine, new Settings(), telemetry);
  const count = async (name: string) =>
    Object.fromEntries(
      (await telemetry.registry.getSingleMetric(name)!.get()).values.map(({ labels, value }) => [
        Object.values(labels)[0],
        value,
      ]),
    );
  return { service, count };
};

describe('JudgeService', () => {
  it('gives the majority with every vote that was cast, its text and its time', async () => {
    const { service, count } = setUp(1, -1, 1);
    const judgement = await service.judge(turn, options);
    expect(judgement).toMatchObject({ score: 1, judgeModel: 'judge-1' });
    expect(judgement.votes).toEqual(
      [1, -1, 1].map((score) => ({ score, text: `said ${score}`, millis: expect.any(Number) })),
    );
    await expect(count('openclaw_rl_votes_total')).resolves.toEqual({ '1': 2, '-1': 1 });
  });

  it('does not judge when nobody gave a valid vote, and never calls that neutral', async () => {
    const { service, count } = setUp(null);
    await expect(service.judge(turn, options)).resolves.toMatchObject({ score: null, detail: 'no_valid_vote' });
    await expect(count('openclaw_rl_votes_total')).resolves.toEqual({ invalid: 3 });
  });

  it.each([
    ['down', 'down', 'down'],
    ['down', 1, -1],
    ['down', 1, null],
    ['down', null, null],
    ['down', 'down', 1],
  ] as Outcome[][])('does not decide after %s, %s, %s: the turn comes back', async (...script) => {
    const { service } = setUp(...script);
    await expect(service.judge(turn, options)).rejects.toThrow(OutageError);
  });

  it.each([
    [-1, ['down', -1, -1]],
    [0, ['down', 0, null]],
  ] as [number, Outcome[]][])(
    'decides %d in spite of a failed vote that could change nothing',
    async (score, script) => {
      await expect(setUp(...script).service.judge(turn, options)).resolves.toMatchObject({ score });
    },
  );

  it('does not judge a turn whose question is refused', async () => {
    const { service } = setUp('refused');
    await expect(service.judge(turn, options)).resolves.toMatchObject({ score: null, detail: 'judge_refused' });
    expect(service.isPaused).toBe(false);
  });

  it('takes refusals of every question for an outage, so that the settings can be mended', async () => {
    const { service } = setUp('refused');
    await service.judge(turn, options);
    await service.judge(turn, options);
    await expect(service.judge(turn, options)).rejects.toThrow(OutageError);
    expect([service.isPaused, service.pauseMs() > 0]).toEqual([true, true]);
    await expect(service.judge(turn, options)).rejects.toThrow(OutageError);
  });

  it('goes on after refusals once a question is answered', async () => {
    const refused: Outcome[] = Array<Outcome>(9).fill('refused');
    const { service } = setUp(...refused, 1);
    for (let i = 0; i < 3; i += 1) await service.judge(turn, options).catch(() => undefined);
    await expect(service.judge(turn, options)).resolves.toMatchObject({ score: 1 });
    expect(service.isPaused).toBe(false);
  });

  it('sends the turn back at once when the app stops', async () => {
    const { service } = setUp('down');
    const stopped = AbortSignal.abort();
    await expect(service.judge(turn, { signal: stopped, deliveries: 9 })).rejects.toMatchObject({ delayMs: 0 });
  });
});
