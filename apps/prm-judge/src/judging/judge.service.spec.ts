import { OutageError } from '@app/bus';
import { Settings } from '@app/config';
import { EngineStatusError } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import type { JudgeEngine } from './judge-engine';
import { JudgeService } from './judge.service';
import type { FollowedTurn } from './prompt';

const TURN: FollowedTurn = {
  messages: [{ role: 'user', content: 'hi' }],
  response: { role: 'assistant', content: 'hello' },
  nextState: [{ role: 'user', content: 'thanks' }],
  role: 'user',
};

const failing = (isPaused: boolean): JudgeEngine =>
  ({
    model: 'judge',
    isPaused,
    pauseMs: () => (isPaused ? 1000 : 0),
    ask: () => Promise.reject(new EngineStatusError(500)),
  }) as unknown as JudgeEngine;

const judge = (engine: JudgeEngine, deliveries: number) =>
  new JudgeService(engine, new Settings(), new Telemetry()).judge(TURN, {
    signal: new AbortController().signal,
    deliveries,
  });

describe('JudgeService', () => {
  it('has a turn delivered again while its calls fail', async () => {
    await expect(judge(failing(false), 1)).rejects.toThrow(OutageError);
    await expect(judge(failing(false), 11)).rejects.toThrow(OutageError);
  });

  it('gives up on a turn that alone fails again and again, as not judged', async () => {
    await expect(judge(failing(false), 12)).resolves.toEqual({
      score: null,
      votes: [],
      judgeModel: 'judge',
      detail: 'judge_failed',
    });
  });

  it('never gives up on a turn while the judge is out of order for all', async () => {
    await expect(judge(failing(true), 1000)).rejects.toThrow(OutageError);
  });
});
