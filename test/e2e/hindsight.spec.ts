import { decode, encode, nextLogProbs, startEngineDouble, type EngineDouble, type ScriptedAnswer } from '@app/testing';
import { OpenClawClient } from '../support/openclaw-client';
import { Opened } from '../support/opened';
import { STACK_UP_MS, startStack, type Stack } from '../support/start-stack';
import { TrainerClient, type LeasedSample } from '../support/trainer-client';

const TURN_END = '<|im_end|>';
const HINT = 'Answer with a list of points, and with no table.';

/** The double's judge, as scripted: what it says of a turn by what followed it. */
const judgeRule = ({
  role,
  body,
  lastText,
}: {
  role: string;
  body: unknown;
  lastText: string;
}): ScriptedAnswer | undefined => {
  if (role !== 'judge') return undefined;
  const nextState = lastText.slice(lastText.lastIndexOf('<next_state'));
  const isCorrected = nextState.includes('use a list, not a table');
  const isHintAsked = JSON.stringify(body).includes('"name":"hint"');
  if (isHintAsked && isCorrected) return { to: 'judge', content: JSON.stringify({ decision: 1, hint: HINT }) };
  // A correction that is told as a wish: something to learn, and neither praise nor complaint.
  if (!isHintAsked && nextState.includes('could you next time')) return { to: 'judge', content: '{"score": 0}' };
  return undefined;
};

describe('hindsight', () => {
  jest.setTimeout(STACK_UP_MS + 120_000);
  const opened = new Opened();
  let policy: EngineDouble;
  let prm: EngineDouble;
  let stack: Stack;

  const begin = async (algorithm: string, returnOriginalLogprob: boolean): Promise<TrainerClient> => {
    policy = opened.add(await startEngineDouble({ returnOriginalLogprob, weightVersion: 'policy' }));
    prm = opened.add(await startEngineDouble({ weightVersion: 'teacher' }));
    prm.script(judgeRule);
    stack = opened.add(
      await startStack({
        OPENCLAW_RL_SERVER_BASE_URL: policy.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_SERVER_TEMPERATURE: '0.6',
        OPENCLAW_RL_SERVER_JUDGE_BASE_URL: prm.url,
        OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
        OPENCLAW_RL_RL_ALGORITHM: algorithm,
        OPENCLAW_RL_SESSION_IDLE_MINUTES: '0.05',
      }),
    );
    return new TrainerClient(stack.door);
  };

  afterEach(() => opened.close());

  /** The prompt with the hint behind the last user's words, put together as text and made tokens anew. */
  const hintedPrompt = ({ tokens, response_length }: LeasedSample): number[] => {
    const text = decode(tokens.slice(0, tokens.length - response_length));
    // The last user's message that is not the client's own addition.
    const said = text.lastIndexOf('UTC] ');
    const end = text.indexOf(TURN_END, said);
    return encode(`${text.slice(0, end)}\n\n[user's hint / instruction]\n${HINT}${text.slice(end)}`);
  };

  const scoredBy = (version: string, promptIds: readonly number[], sample: LeasedSample): number[] => {
    const response = sample.tokens.slice(-sample.response_length);
    const ids = [...promptIds, ...response];
    return response.map((id, i) => nextLogProbs(version, ids.slice(0, promptIds.length + i))[id]!);
  };

  it('turns a correction into the policy’s own tokens scored under the hint, through all four rows of the table', async () => {
    const trainer = await begin('hybrid', true);
    const client = new OpenClawClient(stack.gateway, 'hindsight');
    const corrected = await client.say('compare tea and coffee');
    const wished = await client.say('no, that is wrong: use a list, not a table');
    const praised = await client.say('could you next time use a list, not a table');
    const passed = await client.say('thanks, great');
    const last = await client.say('and what day is it');

    const samples = await trainer.take(3);
    expect([...samples.keys()].sort()).toEqual([corrected, wished, praised].map(({ turnId }) => turnId).sort());
    const [both, hintOnly, rewardOnly] = [corrected, wished, praised].map(({ turnId }) => samples.get(turnId)!);

    for (const [sample, reward] of [
      [both!, -1],
      [hintOnly!, 0],
    ] as const) {
      expect(sample.reward.score).toBe(reward);
      expect(sample.metadata).toMatchObject({
        hint: HINT,
        log_probs_tempered: false,
        sampling: { temperature: 0.6 },
      });
      const teacher = scoredBy('teacher', hintedPrompt(sample), sample);
      const student = scoredBy('policy', sample.tokens.slice(0, -sample.response_length), sample);
      expect(sample.teacher_log_probs).toHaveLength(sample.response_length);
      sample.teacher_log_probs!.forEach((logProb, i) => {
        expect(logProb).toBeCloseTo(teacher[i]!, 9);
        expect(sample.rollout_log_probs[i]).toBeCloseTo(student[i]!, 9);
        expect(sample.advantages[i]).toBe(reward + (logProb - sample.rollout_log_probs[i]!));
      });
    }
    // The very prompt: the teacher was sent it, ids and all.
    const sent = prm.requests
      .filter(({ path }) => path === '/generate')
      .map(({ body }) => JSON.stringify(body.input_ids));
    expect(sent).toContain(JSON.stringify([...hintedPrompt(both!), ...both!.tokens.slice(-both!.response_length)]));

    expect(rewardOnly).toMatchObject({ reward: { score: 1 }, teacher_log_probs: null, metadata: { hint: null } });
    expect(rewardOnly!.advantages).toEqual(Array<number>(rewardOnly!.response_length).fill(1));

    const stats = await trainer.stats();
    expect(stats.outcomes).toMatchObject({ sample: 3, neutral: 1 });
    expect(stats.signals).toEqual({ both: 1, teacher: 1, reward: 1 });
    expect(samples.has(passed.turnId) || samples.has(last.turnId)).toBe(false);
  });

  it('subtracts no log-probs that were taken at another temperature', async () => {
    const trainer = await begin('opd', false);
    const client = new OpenClawClient(stack.gateway, 'tempered');
    await client.say('compare tea and coffee');
    await client.say('no, that is wrong: use a list, not a table');
    await trainer.until('temperature_mismatch');
    expect((await trainer.stats()).outcomes).not.toHaveProperty('sample');
    // But for the one that shows at the start that it can, the teacher was asked for nothing.
    expect(prm.requests.filter(({ path }) => path === '/generate')).toHaveLength(1);
  });
});
