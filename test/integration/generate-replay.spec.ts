import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bus } from '@app/bus';
import { TurnCompleted } from '@app/contracts';
import {
  decode,
  SPECIAL,
  startEngineDouble,
  startNatsServer,
  until,
  writeModelFolder,
  type EngineDouble,
  type NatsServer,
} from '@app/testing';
import { OpenClawClient } from '../support/openclaw-client';
import { startGateway, type TestGateway } from '../support/start-gateway';

const TURNS = 50;

/** Whether `part` stands in `whole` without a gap. */
const contains = (whole: Int32Array, part: Int32Array): boolean =>
  Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).includes(
    Buffer.from(part.buffer, part.byteOffset, part.byteLength),
  );

// Fifty turns and more, one after the other, take their time on a busy machine.
jest.setTimeout(120_000);

describe('long conversations through /generate', () => {
  let nats: NatsServer;
  let bus: Bus;
  let engine: EngineDouble;
  let gateway: TestGateway;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'model-'));
    writeModelFolder(folder);
    nats = await startNatsServer();
    // Answers are drawn token by token, so that many are not written in the tokenizer's own tokens.
    engine = await startEngineDouble({ sglext: false, unscripted: 'sampled', incrementalStreaming: true });
    gateway = await startGateway({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_TOKENIZER: folder,
    });
    bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
    await bus.ready();
  });

  afterAll(async () => {
    await gateway.close();
    await bus.close();
    await engine.close();
    await nats.stop();
    rmSync(folder, { recursive: true });
  });

  /** How many prompts stood how to the turn before, since the last look. */
  const seen = new Map<string, number>();
  const drifts = async (): Promise<Record<string, number>> => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    const counted = [...metrics.matchAll(/openclaw_rl_prompts_total\{drift="(\w+)"\} (\d+)/g)];
    return Object.fromEntries(
      counted.flatMap(([, drift = '', count]) => {
        const since = Number(count) - (seen.get(drift) ?? 0);
        seen.set(drift, Number(count));
        return since === 0 ? [] : [[drift, since]];
      }),
    );
  };

  const stored = async (turnId: string) =>
    (await until(() => bus.read(TurnCompleted, turnId), { what: `turn.completed of ${turnId}` })).body;

  it('never takes a conversation that only grows for a forked one', async () => {
    const messages: { role: string; content: string }[] = [{ role: 'system', content: 'Be brief.' }];
    let before = new Int32Array();
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: 'user', content: `Question ${turn}: 你好 👩‍🚀 e\u0301?` });
      const response = await gateway.post('/v1/chat/completions', { messages, max_tokens: 40 });
      const answer = await response.json();
      messages.push(answer.choices[0].message);
      const { arrays, head } = await stored(response.headers.get('x-rl-turn-id')!);
      const [promptIds, responseIds] = [arrays.promptIds as Int32Array, arrays.responseIds as Int32Array];
      expect(head.route).toBe('generate');
      expect(decode([...responseIds], { skipSpecialTokens: true })).toBe(answer.choices[0].message.content);
      expect(Array.from(promptIds.subarray(0, before.length))).toEqual(Array.from(before));
      before = Int32Array.of(...promptIds, ...responseIds);
    }
    const { realigned = 0, clean = 0, ...others } = await drifts();
    expect(others).toEqual({ new: 1 });
    expect(realigned + clean).toBe(TURNS - 1);
    expect(realigned).toBeGreaterThan(0);
  });

  it('keeps every answer of an OpenClaw’s conversation exact, in its own sample and in the prompts that follow', async () => {
    const client = new OpenClawClient(gateway.url, 'replay');
    const answers: Int32Array[] = [];
    const check = async (turnId: string, text: string): Promise<void> => {
      const { arrays, head } = await stored(turnId);
      const [promptIds, responseIds] = [arrays.promptIds as Int32Array, arrays.responseIds as Int32Array];
      expect(head.route).toBe('generate');
      expect(arrays.logProbs).toHaveLength(responseIds.length);
      expect(decode([...responseIds], { skipSpecialTokens: true })).toContain(text);
      for (const earlier of answers) expect(contains(promptIds, earlier)).toBe(true);
      answers.push(responseIds.filter((id) => id !== SPECIAL.imEnd));
    };
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (turn % 3 === 0) {
        engine.script({
          content: 'Let me look.',
          toolCalls: [{ name: 'exec', arguments: `{"command": "ls ${turn}"}` }],
        });
      }
      const said = await client.say(`Question ${turn}`);
      await check(said.turnId, said.text);
      if (said.toolCalls.length === 0) continue;
      const reported = await client.reportTools(said, [`a b ${turn}`]);
      await check(reported.turnId, reported.text);
    }
    // The carrier of each request is gone from the next: every prompt is a fork of the one before, and none is lost.
    expect(await drifts()).toEqual({ new: 1, forked: answers.length - 1 });
  });
});
