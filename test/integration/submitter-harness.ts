import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus } from '@app/bus';
import {
  FeedbackGiven,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnHinted,
  TurnJudged,
  TurnSettled,
  type NoHintReason,
  type TurnCompletedInfo,
} from '@app/contracts';
import { endConnectionsAtClose } from '@app/telemetry';
import { configureApp } from '../../apps/sample-submitter/src/configure-app';
import { doorAdapter } from '../../apps/sample-submitter/src/door/door-adapter';
import { SampleSubmitterModule } from '../../apps/sample-submitter/src/sample-submitter.module';
import { mainTurn } from '../support/main-turn';
import { settingsFrom } from '../support/settings-from';

/** One replica of sample-submitter inside the test's process. */
export interface Submitter {
  readonly app: NestFastifyApplication;
  readonly url: string;
  close(): Promise<void>;
}

export const startSubmitter = async (
  natsUrl: string,
  env: Record<string, string> = {},
  adapter: FastifyAdapter = doorAdapter(),
): Promise<Submitter> => {
  const variables = {
    OPENCLAW_RL_NATS_URL: natsUrl,
    OPENCLAW_RL_NATS_STORE_GB: '1',
    OPENCLAW_RL_DOOR_PORT: '0',
    ...env,
  };
  const settings = settingsFrom(variables);
  const app = await NestFactory.create<NestFastifyApplication>(SampleSubmitterModule.forSettings(settings), adapter, {
    logger: false,
    abortOnError: false,
  });
  configureApp(app, settings.door);
  endConnectionsAtClose(app);
  await app.startAllMicroservices();
  await app.listen(settings.door.port, settings.door.host);
  return { app, url: await app.getUrl(), close: () => app.close() };
};

export const connectBus = async (natsUrl: string): Promise<Bus> => {
  const bus = new Bus({ app: 'test', url: natsUrl, storeGb: 1, replicas: 1 });
  await bus.ready();
  return bus;
};

export interface TurnOptions {
  readonly session?: string;
  readonly exclusion?: TurnCompletedInfo['exclusion'];
  readonly logProbs?: readonly number[];
  readonly policyVersion?: number;
  readonly arrivedAt?: number;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

const givenOf = ({ session, arrivedAt }: TurnOptions) => ({
  ...(session === undefined ? {} : { namedSession: session }),
  ...(arrivedAt === undefined ? {} : { arrivedAt }),
});

/** What gateways publish of a turn. */
export const publishArrived = (bus: Bus, turnId: string, options: TurnOptions = {}) =>
  bus.publish(TurnArrived, [turnId], {
    info: { ...mainTurn(turnId, givenOf(options)), nextStateRole: 'user' },
    head: { nextState: [{ role: 'user', content: `next state in ${turnId}` }] },
  });

export const publishCompleted = (bus: Bus, turnId: string, options: TurnOptions = {}) => {
  const version = options.policyVersion ?? 0;
  return bus.publish(TurnCompleted, [turnId], {
    info: {
      ...mainTurn(turnId, givenOf(options)),
      policyVersion: version,
      completedAt: Date.now(),
      ...(options.exclusion === undefined ? {} : { exclusion: options.exclusion }),
    },
    head: {
      sessionId: options.session === undefined ? null : `raw:${options.session}`,
      model: 'test-model',
      messages: [...(options.messages ?? [{ role: 'user', content: `question of ${turnId}` }])],
      response: { role: 'assistant', content: `answer of ${turnId}` },
      finishReason: 'stop',
      sampling: { temperature: 0.7, topP: null, topK: null },
      logProbsTempered: true,
      route: 'sglext',
      weightVersions: ['default'],
      policyVersion: { start: version, end: version },
    },
    arrays: {
      promptIds: Int32Array.of(1, 2, 3),
      responseIds: Int32Array.of(4, 5),
      logProbs: Float64Array.from(options.logProbs ?? [-0.1, -0.25]),
    },
  });
};

/** What a judge publishes. */
export const publishJudged = (bus: Bus, turnId: string, score: 1 | -1 | 0 | null, nextTurnId?: string) =>
  bus.publish(TurnJudged, [turnId], {
    info: {
      turnId,
      session: 'session',
      score,
      judgedAt: Date.now(),
      ...(nextTurnId === undefined ? {} : { nextTurnId }),
    },
    head: { judgeModel: 'judge', votes: [{ score, text: `vote on ${turnId}`, millis: 5 }] },
  });

/** What a hint teacher publishes: log-probs of the two response tokens, or why there are none. */
export const publishHinted = (bus: Bus, turnId: string, result: readonly [number, number] | NoHintReason) => {
  const hasHint = typeof result !== 'string';
  return bus.publish(TurnHinted, [turnId], {
    info: { turnId, session: 'session', hintedAt: Date.now(), ...(hasHint ? {} : { reason: result }) },
    head: {
      judgeModel: 'judge',
      votes: [{ decision: hasHint ? 1 : -1, hint: hasHint ? 'Use a list.' : '', text: `hint on ${turnId}`, millis: 5 }],
      selected: hasHint ? 0 : null,
      hint: hasHint ? 'Use a list.' : null,
      teacherModel: 'teacher',
    },
    arrays: hasHint ? { teacherLogProbs: Float64Array.from(result) } : {},
  });
};

/** What the session-tracker publishes when the next request has come. */
export const publishFollowed = (bus: Bus, turnId: string) =>
  bus.publish(TurnFollowed, [turnId], {
    info: { turnId, session: 'session', role: 'user', nextTurnId: `${turnId}-next` },
    head: {},
  });

export const publishFeedback = (bus: Bus, turnId: string, score?: 1 | -1 | 0, text?: string) =>
  bus.publish(FeedbackGiven, [turnId, `f-${turnId}`], {
    info: {
      turnId,
      feedbackId: `f-${turnId}`,
      scope: 'scope',
      givenAt: Date.now(),
      hasText: text !== undefined,
      ...(score === undefined ? {} : { score }),
    },
    head: text === undefined ? {} : { text },
  });

/** A whole judged turn, ready to become a sample. */
export const publishTurn = async (
  bus: Bus,
  turnId: string,
  score: 1 | -1 | 0 | null = 1,
  options: TurnOptions = {},
) => {
  await publishCompleted(bus, turnId, options);
  await publishJudged(bus, turnId, score);
};

/** The turn's outcome, or null if it has none yet. */
export const settledOf = async (bus: Bus, turnId: string) => (await bus.read(TurnSettled, turnId))?.info ?? null;

export interface HttpAnswer {
  readonly status: number;
  /** Of any shape: what is read of it is compared, not trusted. */
  readonly body: any;
}

export const post = async (url: string, path: string, body: unknown, key?: string): Promise<HttpAnswer> => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

export const get = async (url: string, path: string, key?: string): Promise<HttpAnswer> => {
  const response = await fetch(
    `${url}${path}`,
    key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
  );
  return { status: response.status, body: await response.json() };
};
