import { Bus } from '@app/bus';
import { STREAM_NAMES, TurnArrived, TurnCompleted, type TurnArrivedInfo } from '@app/contracts';
import { startNatsServer, until, type NatsServer } from '@app/testing';
import { startGateway, type TestGateway } from '../../support/start-gateway';
import { ask, hangUp, type Answer } from './ask';
import { countCase, reportCases } from './cases';
import { startStubUpstream, type Reply, type StubUpstream, type UpstreamCall } from './stub-upstream';

/** One chat as it was tried: what the client got, and what the model's server saw of it, if anything. */
export interface Tried {
  readonly answer: Answer;
  readonly call: UpstreamCall | undefined;
  readonly turnId: string | undefined;
}

/** A gateway with a bus and a model's server that obeys the test. */
export interface World {
  readonly nats: NatsServer;
  readonly upstream: StubUpstream;
  readonly gateway: TestGateway;
  readonly bus: Bus;
  /** Sends a chat body as it is. */
  chat(
    body: Buffer | string,
    options?: { headers?: Record<string, string | string[]>; reply?: Reply; base?: string },
  ): Promise<Tried>;
  /** Infos of every turn that has arrived so far. */
  arrived(): Promise<TurnArrivedInfo[]>;
  /** Every subject on the bus. */
  subjects(): Promise<string[]>;
  /** Waits until each of these turns is stored; throws for one that arrived and was never completed. */
  allStored(turnIds: readonly string[]): Promise<void>;
  start(env: Record<string, string>): Promise<TestGateway>;
  close(): Promise<void>;
}

const EMPTY = new Uint8Array();

export const startWorld = async (env: Record<string, string> = {}): Promise<World> => {
  const nats = await startNatsServer();
  const upstream = await startStubUpstream();
  const bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
  await bus.ready();
  const started: TestGateway[] = [];
  const start = async (more: Record<string, string>): Promise<TestGateway> => {
    const gateway = await startGateway({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: upstream.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'the-model',
      ...more,
    });
    started.push(gateway);
    return gateway;
  };
  const gateway = await start(env);
  let requests = 0;
  const infosOf = async <Info>(filter: string, decode: (info: string) => Info): Promise<Info[]> => {
    const infos: Info[] = [];
    for await (const { info } of bus.scan('RL_TURNS', { filter })) infos.push(decode(info));
    return infos;
  };
  const completedIds = async (): Promise<Set<string>> =>
    new Set(
      await infosOf(
        TurnCompleted.filter,
        (info) => TurnCompleted.decodeInfo({ subject: '', info, data: EMPTY }).turnId,
      ),
    );
  return {
    nats,
    upstream,
    gateway,
    bus,
    start,
    chat: async (body, { headers = {}, reply, base = gateway.url } = {}) => {
      countCase();
      requests += 1;
      const id = `request-${requests}`;
      if (reply !== undefined) upstream.script(id, reply);
      const answer = await ask(base, {
        path: '/v1/chat/completions',
        headers: { 'x-request-id': id, ...headers },
        body,
      });
      return { answer, call: upstream.callOf(id), turnId: answer.headers['x-rl-turn-id'] as string | undefined };
    },
    arrived: () => infosOf(TurnArrived.filter, (info) => TurnArrived.decodeInfo({ subject: '', info, data: EMPTY })),
    subjects: async () => {
      const subjects: string[] = [];
      for (const stream of STREAM_NAMES) for await (const { subject } of bus.scan(stream)) subjects.push(subject);
      return subjects;
    },
    allStored: async (turnIds) => {
      const missing = (stored: Set<string>): string[] => turnIds.filter((id) => !stored.has(id));
      await until(async () => missing(await completedIds()).length === 0, {
        what: `${turnIds.length} turns are stored`,
        timeoutMs: 15_000,
        everyMs: 100,
      });
    },
    close: async () => {
      reportCases();
      hangUp();
      await Promise.all(started.map((each) => each.close()));
      await bus.close();
      await upstream.close();
      await nats.stop();
    },
  };
};

/** A body of the plainest kind with members put in place of, or beside, its own; each a JSON text. */
export const bodyOf = (members: Readonly<Record<string, string>> = {}): string => {
  const all: Record<string, string> = {
    model: '"openclaw-rl"',
    messages: '[{"role":"user","content":"hi"}]',
    ...members,
  };
  return `{${Object.entries(all)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
};
