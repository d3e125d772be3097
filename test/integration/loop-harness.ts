import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { CONSUMERS, TurnArrived, TurnSettled, type TurnSettledInfo } from '@app/contracts';
import { Bus } from '@app/bus';
import { runApp } from '@app/telemetry';
import { until } from '@app/testing';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { post, startSubmitter, type Submitter } from './submitter-harness';

/** What a client has said in a session so far. */
type Messages = { role: string; content: string }[];

export interface LoopOptions {
  readonly natsUrl: string;
  readonly engineUrl: string;
  readonly replicas?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Sessions end after half a second, and answers whose end is missing are lost after ten. */
export const IMPATIENT = {
  OPENCLAW_RL_SESSION_IDLE_MINUTES: '0.01',
  OPENCLAW_RL_SESSION_ANSWER_MINUTES: '0.2',
};

/** From the chat to the samples: one replica of each service inside the test's process. */
export class Loop {
  private readonly talks = new Map<string, Messages>();

  private constructor(
    private readonly opened: Opened,
    readonly gateway: TestGateway,
    readonly submitter: Submitter,
  ) {}

  static async start({ natsUrl, engineUrl, replicas = 1, env = {} }: LoopOptions): Promise<Loop> {
    const variables = {
      NATS_URL: natsUrl,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_NATS_REPLICAS: String(replicas),
      OPENCLAW_RL_SERVER_BASE_URL: engineUrl,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
      OPENCLAW_RL_SLIME_QUEUE_SIZE: '4096',
      ...env,
    };
    const settings = settingsFrom(variables);
    const opened = new Opened();
    for (const module of [SessionTrackerModule.forSettings(settings), PrmJudgeModule.forSettings(settings)]) {
      const place = { host: '127.0.0.1', port: 0, logLevel: 'error', logFormat: 'text' } as const;
      opened.add<INestApplication>(await runApp({ module, ...place }));
    }
    const submitter = opened.add(await startSubmitter(natsUrl, variables));
    return new Loop(opened, opened.add(await startGateway(variables)), submitter);
  }

  /**
   * One turn of a session, whose client thanks for what was answered before; one that is called `unnamed…` says no name.
   * Returns the turn's id.
   */
  async turn(session: string, words = 'thanks, that is great', headers: Record<string, string> = {}): Promise<string> {
    const talk = `${session} ${headers.authorization ?? ''}`;
    const messages = this.talks.get(talk) ?? [];
    const name: Record<string, string> = session.startsWith('unnamed') ? {} : { 'x-session-id': session };
    messages.push({ role: 'user', content: words });
    const body = { model: 'any', messages, tools: [], stream: false };
    const response = await this.gateway.post('/v1/chat/completions', body, { ...name, ...headers });
    const answer = (await response.json()) as { choices: { message: Messages[number] }[] };
    if (!response.ok) throw new Error(`the chat was answered ${response.status}: ${JSON.stringify(answer)}`);
    messages.push(answer.choices[0]!.message);
    this.talks.set(talk, messages);
    return response.headers.get('x-rl-turn-id')!;
  }

  /** What its client has said, for one who goes on with another gateway. */
  take(session: string, other: Loop): void {
    this.talks.set(`${session} `, other.talks.get(`${session} `)!);
  }

  /** Leases what waits, `least` samples at least if that many are named. Returns the turns of the samples. */
  async lease(max = 4096, least?: number): Promise<{ readonly leaseId: string; readonly turns: string[] }> {
    const patience = least === undefined ? {} : { min: least, wait_ms: 30_000 };
    const { body } = await post(this.submitter.url, '/v1/samples/lease', {
      request_id: randomUUID(),
      max,
      ...patience,
    });
    const samples = (body.samples ?? []) as { metadata: { turn_id: string } }[];
    return { leaseId: body.lease_id, turns: samples.map(({ metadata }) => metadata.turn_id) };
  }

  /** Trains on everything that waits, until nothing does. Returns the turns of the samples, as often as they came. */
  async trainAll(): Promise<string[]> {
    const turns: string[] = [];
    for (let batch = await this.lease(); batch.turns.length > 0; batch = await this.lease()) {
      turns.push(...batch.turns);
      await this.acknowledge(batch.leaseId);
    }
    return turns;
  }

  async acknowledge(leaseId: string): Promise<void> {
    const { status } = await post(this.submitter.url, `/v1/samples/leases/${leaseId}/ack`, {
      request_id: randomUUID(),
    });
    if (status !== 200) throw new Error(`the acknowledgement was answered ${status}`);
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}

/** Every turn that a store has taken, with its outcome, if it has one. */
export const outcomesIn = async (bus: Bus): Promise<Map<string, TurnSettledInfo | null>> => {
  const outcomes = new Map<string, TurnSettledInfo | null>();
  for await (const { info } of bus.scan('RL_TURNS', { filter: TurnArrived.filter })) {
    outcomes.set((JSON.parse(info) as { turnId: string }).turnId, null);
  }
  for await (const { info } of bus.scan('RL_SAMPLES')) {
    const settled = TurnSettled.decodeInfo({ subject: '', info, data: new Uint8Array() });
    outcomes.set(settled.turnId, settled);
  }
  return outcomes;
};

/** Resolves when no service has anything in hand. */
export const untilQuiet = async (bus: Bus, timeoutMs = 60_000): Promise<void> => {
  const { jsm } = bus.connection.current();
  const durables = [CONSUMERS.trackerTurns, CONSUMERS.judge, CONSUMERS.submitter];
  const isQuiet = async (): Promise<boolean> => {
    const infos = await Promise.all(durables.map(({ stream, durable }) => jsm.consumers.info(stream, durable)));
    if (infos.some((info) => info.num_pending + info.num_ack_pending > 0)) return false;
    return [...(await outcomesIn(bus)).values()].every((outcome) => outcome !== null);
  };
  await until(isQuiet, { what: 'every turn has its outcome, and nothing is in hand', timeoutMs, everyMs: 250 });
};
