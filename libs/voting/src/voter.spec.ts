import { OutageError } from '@app/bus';
import { Settings } from '@app/config';
import { EngineStatusError } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import type { JudgeEngine } from './judge-engine';
import { Voter, type Motion } from './voter';

const MOTION: Motion<string> = {
  messages: () => [{ role: 'user', content: 'how was it?' }],
  schema: null,
  read: (_form, text) => text,
  isDecided: (answers) => answers.length === 3,
  resultOf: (answer) => answer,
};

const failing = (isPaused: boolean): JudgeEngine =>
  ({
    model: 'judge',
    isPaused,
    pauseMs: () => (isPaused ? 1000 : 0),
    prepare: () => () => Promise.reject(new EngineStatusError(500)),
  }) as unknown as JudgeEngine;

const poll = (engine: JudgeEngine, deliveries: number) =>
  new Voter(engine, new Settings(), new Telemetry()).poll(MOTION, {
    signal: new AbortController().signal,
    deliveries,
  });

describe('Voter', () => {
  it('has a turn delivered again while its calls fail', async () => {
    await expect(poll(failing(false), 1)).rejects.toThrow(OutageError);
    await expect(poll(failing(false), 11)).rejects.toThrow(OutageError);
  });

  it('gives up on a turn that alone fails again and again', async () => {
    await expect(poll(failing(false), 12)).resolves.toEqual({ votes: [], failure: 'judge_failed' });
  });

  it('never gives up on a turn while the judge is out of order for all', async () => {
    await expect(poll(failing(true), 1000)).rejects.toThrow(OutageError);
  });

  it('waits for every vote where the motion needs them all, and counts what they say', async () => {
    const answers = ['a', 'b', 'a'];
    const engine = {
      model: 'judge',
      isPaused: false,
      pauseMs: () => 0,
      prepare: () => () => Promise.resolve({ answer: answers.pop(), text: 'said' }),
    } as unknown as JudgeEngine;
    const telemetry = new Telemetry();
    const options = { signal: new AbortController().signal, deliveries: 1 };
    const result = await new Voter(engine, new Settings(), telemetry).poll(MOTION, options);
    expect(result).toMatchObject({ votes: [{ answer: 'a' }, { answer: 'b' }, { answer: 'a' }], failure: null });
    const { values } = await telemetry.metrics.votes.get();
    expect(values.map(({ labels, value }) => [labels.result, value])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});
