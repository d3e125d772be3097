import { Bus } from '@app/bus';
import { TurnCompleted } from '@app/contracts';
import { startNatsServer, until, type NatsServer } from '@app/testing';
import { POCKET_WEIGHTS, startPocketEngine, type PocketEngine } from '../support/start-pocket-engine';
import { startGateway, type TestGateway } from '../support/start-gateway';

const MESSAGES = [
  { role: 'system', content: 'You are an agent with many tools. '.repeat(2000) },
  { role: 'user', content: 'Mia has 7 apples and finds 4 more. How many apples are there now?' },
];

const TOOLS = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object', properties: {} } } }];

describe('the gateway before the pocket engine', () => {
  let nats: NatsServer;
  let bus: Bus;
  let engine: PocketEngine;
  let gateway: TestGateway;

  beforeAll(async () => {
    nats = await startNatsServer();
    bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
    await bus.ready();
    engine = await startPocketEngine();
    gateway = await startGateway({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'pocket',
      OPENCLAW_RL_SERVER_TOKENIZER: POCKET_WEIGHTS,
    });
  });

  afterAll(async () => {
    await gateway.close();
    await engine.close();
    await bus.close();
    await nats.stop();
  });

  const post = async (path: string, body: object): Promise<any> =>
    (
      await fetch(engine.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json();

  it.each([false, true])('captures what the model saw and said, to be trained on (stream: %s)', async (stream) => {
    // As a stock OpenClaw asks: for more than the pocket model has room for.
    const asked = { tools: TOOLS, tool_choice: 'auto', max_completion_tokens: 4096 };
    const body = { model: 'openclaw-rl', messages: MESSAGES, temperature: 0.5, stream, ...asked };
    const response = await gateway.post('/v1/chat/completions', body);
    await response.text();
    const turnId = response.headers.get('x-rl-turn-id')!;
    const { body: turn } = await until(() => bus.read(TurnCompleted, turnId), { what: 'the stored turn' });
    expect(turn.head).toMatchObject({ route: 'sglext', logProbsTempered: false, finishReason: 'stop' });

    const [promptIds, responseIds] = [turn.arrays.promptIds!, turn.arrays.responseIds!].map((ids) => Array.from(ids));
    const { tokens } = await post('/v1/tokenize', { messages: MESSAGES });
    expect(promptIds).toEqual(tokens);
    const scored = await post('/generate', {
      input_ids: [...promptIds!, ...responseIds!],
      sampling_params: { max_new_tokens: 0 },
      return_logprob: true,
      logprob_start_len: promptIds!.length - 1,
    });
    const logProbs = scored.meta_info.input_token_logprobs.slice(1).map(([logProb]: [number]) => logProb);
    expect(Array.from(turn.arrays.logProbs!)).toEqual(logProbs);
  });
});
