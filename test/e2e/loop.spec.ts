import { startEngineDouble, until, type EngineDouble } from '@app/testing';
import { OpenClawClient } from '../support/openclaw-client';
import { Opened } from '../support/opened';
import { STACK_UP_MS, startStack, type Stack } from '../support/start-stack';
import { TrainerClient } from '../support/trainer-client';

/** Conversations in, samples out: real processes, a real nats-server, the OpenAI SDK as client. */
describe('the loop', () => {
  const opened = new Opened();
  let engine: EngineDouble;
  let stack: Stack;
  let trainer: TrainerClient;

  beforeAll(async () => {
    engine = opened.add(await startEngineDouble({}));
    stack = opened.add(
      await startStack(
        {
          OPENCLAW_RL_SERVER_BASE_URL: engine.url,
          OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
          OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
          OPENCLAW_RL_SESSION_IDLE_MINUTES: '0.05',
          OPENCLAW_RECORD_ENABLED: '1',
        },
        ['--judges', '3'],
      ),
    );
    trainer = new TrainerClient(stack.door);
  }, STACK_UP_MS + 30_000);

  afterAll(() => opened.close());

  const outcome = (name: string) =>
    until(async () => (await trainer.stats()).outcomes[name], { what: name, timeoutMs: 20_000 });

  /** Log-probs of a sample's response as the engine itself scores them, apart from everything that captured them. */
  const scoredByEngine = async (tokens: number[], responseLength: number): Promise<number[]> => {
    const response = await fetch(`${engine.url}/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        input_ids: tokens,
        sampling_params: { max_new_tokens: 0 },
        return_logprob: true,
        logprob_start_len: tokens.length - responseLength - 1,
      }),
    });
    const entries = (await response.json()).meta_info.input_token_logprobs as [number | null, number][];
    expect(entries[0]![0]).toBeNull();
    return entries.slice(1).map(([logProb]) => logProb!);
  };

  it('turns a stock client’s conversation with a tool call into judged samples, all main-line turns but the last', async () => {
    const client = new OpenClawClient(stack.gateway, 'stock');
    engine.script({
      when: 'run the tests',
      toolCalls: [{ id: 'call_ab1', name: 'exec', arguments: { command: 'npm test' } }],
    });
    const asked = await client.say('run the tests');
    const reported = await client.reportTools(asked, ['12 passed, works']);
    const thanked = await client.say('That is wrong, not what I asked for');
    const last = await client.say('thanks, great');

    const samples = await trainer.take(3);
    expect([...samples.keys()].sort()).toEqual([asked, reported, thanked].map((turn) => turn.turnId).sort());
    expect(samples.get(asked.turnId)!.reward.score).toBe(1);
    expect(samples.get(reported.turnId)!.reward.score).toBe(-1);
    expect(samples.get(thanked.turnId)!.reward.score).toBe(1);
    expect(samples.has(last.turnId)).toBe(false);
    expect(new Set([...samples.values()].map((sample) => sample.metadata.session_key)).size).toBe(1);

    for (const sample of samples.values()) {
      expect(sample.loss_mask).toEqual(Array<number>(sample.response_length).fill(1));
      const scored = await scoredByEngine(sample.tokens, sample.response_length);
      expect(sample.rollout_log_probs).toHaveLength(sample.response_length);
      sample.rollout_log_probs.forEach((logProb, i) => {
        expect(logProb).toBeCloseTo(scored[i]!, 6);
      });
    }
  });

  it('ends an idle session and counts the turn that nothing followed', async () => {
    const before = (await trainer.stats()).outcomes.no_next_state ?? 0;
    await new OpenClawClient(stack.gateway, 'idle').say('and then silence');
    await until(async () => ((await trainer.stats()).outcomes.no_next_state ?? 0) > before, {
      what: 'no_next_state',
      timeoutMs: 20_000,
    });
  });

  it('keeps two clients that talk at once apart', async () => {
    const clients = ['left', 'right'].map((name) => new OpenClawClient(stack.gateway, name));
    const turns: string[][] = [[], []];
    for (const text of ['hello', 'thanks, good', 'thanks, great']) {
      const served = await Promise.all(clients.map((client) => client.say(text)));
      served.forEach((turn, i) => turns[i]!.push(turn.turnId));
    }
    const samples = await trainer.take(4);
    const sessions = turns.map((ids) => ids.slice(0, 2).map((id) => samples.get(id)!.metadata.session_key));
    expect(sessions[0]![0]).toBe(sessions[0]![1]);
    expect(sessions[1]![0]).toBe(sessions[1]![1]);
    expect(sessions[0]![0]).not.toBe(sessions[1]![0]);
  });

  it('follows a client that names nothing by its message chain alone', async () => {
    // Another program than the one that sends tools: from that one a request without tools would be a side call.
    const headers = { 'user-agent': 'plain-chat/1.0' };
    const client = new OpenClawClient(stack.gateway, 'unnamed', { headers, runtimeLine: false, tools: false });
    const first = await client.say('what is the capital of France, again?');
    await client.say('that is wrong');
    const samples = await trainer.take(1);
    expect(samples.get(first.turnId)!.reward.score).toBe(-1);
  });

  it('takes headers at their word, and ends a session after its last turn', async () => {
    const client = new OpenClawClient(stack.gateway, 'ignored', { headers: { 'x-session-id': 'by-header' } });
    const first = await client.say('hello there');
    await client.say('perfect, thanks', { 'x-session-done': '1' });
    const samples = await trainer.take(1);
    expect(samples.get(first.turnId)!.reward.score).toBe(1);
    expect(await outcome('no_next_state')).toBeGreaterThan(0);
  });

  it('never trains on side calls, and they are no feedback', async () => {
    const client = new OpenClawClient(stack.gateway, 'with-heartbeat');
    const first = await client.say('remember the milk');
    const heartbeat = 'Follow the heartbeat monitor scratch context when provided. That is wrong.';
    const side = await client.aside([...client.history, { role: 'user', content: heartbeat }]);
    await client.say('thanks, works');
    const samples = await trainer.take(1);
    expect(samples.get(first.turnId)!.reward.score).toBe(1);
    expect(samples.has(side.turnId)).toBe(false);
    expect(await outcome('side_turn')).toBeGreaterThan(0);
  });

  it('lets a person’s score stand in for the votes, and a text be judged', async () => {
    const thumbs = new OpenClawClient(stack.gateway, 'thumbs');
    await thumbs.say('rate me');
    const told = await new OpenClawClient(stack.gateway, 'told').say('tell me');
    const give = (body: object) =>
      fetch(`${stack.gateway}/v1/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    // At once: the last answer is the one that has just been given, as often as one tries.
    const scored = [];
    for (let round = 0; round < 8; round += 1) {
      const { turnId } = await thumbs.say('and now?');
      const response = await give({ session_id: 'thumbs', score: -1 });
      expect(await response.json()).toMatchObject({ turn_id: turnId });
      scored.push(turnId);
    }
    expect((await give({ turn_id: told.turnId, text: 'great, thanks' })).status).toBe(202);
    expect((await give({ turn_id: 'no-such-turn', score: 1 })).status).toBe(404);
    expect((await give({ turn_id: told.turnId })).status).toBe(400);
    const samples = await trainer.take(1 + scored.length);
    for (const turnId of scored) expect(samples.get(turnId)!.reward.score).toBe(-1);
    expect(samples.get(told.turnId)!.reward.score).toBe(1);
  });

  it('judges each turn once, with three replicas', async () => {
    const before = engine.chats('judge').length;
    const client = new OpenClawClient(stack.gateway, 'once');
    for (const text of ['hello', 'thanks', 'great', 'works', 'perfect']) await client.say(text);
    await trainer.take(4);
    // Two equal votes of three decide, so a turn costs two or three.
    const votes = engine.chats('judge').length - before;
    expect(votes).toBeGreaterThanOrEqual(8);
    expect(votes).toBeLessThanOrEqual(12);
  });
});
