import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until, type AnswerRule } from '@app/testing';
import { Service } from '../crash/service';
import { CrashStack } from '../crash/stack';
import { natsConfigOfCompose, readEnvFile } from '../support/compose-file';
import { POCKET_WEIGHTS, startPocketEngine } from '../support/start-pocket-engine';
import { TrainerClient } from '../support/trainer-client';

const TOOLS = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object', properties: {} } } }];

/** A stack as it runs in containers, but for the containers: two judges, the users of NATS, the pocket model and its trainer. */
export interface DeployedStack {
  readonly stack: CrashStack;
  readonly engineUrl: string;
  readonly trainerUrl: string;
  /** Lets people talk and judges vote, each time with other sessions, and makes a weight update as a trainer of one's own does. */
  use(): Promise<void>;
  /** Lets people talk until the built-in trainer has its batch, and trains on it. */
  train(): Promise<void>;
  /** What each process has written so far, by its name. */
  logs(): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** What people's talk comes to, each time. */
export const TALK = { chats: 10, samples: 4, disputed: 1, hinted: 1 } as const;

/** Samples of an update by hand; the chat that waits for it comes on top of the talk. */
export const BY_HAND = 3;

/** Samples of the built-in trainer's batch: what two updates by hand leave, and one more talk. */
export const BATCH = 6;

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/**
 * Lets a person say one thing after the other; each of them is the next state of the answer before. Returns the id of the
 * last turn.
 */
const converse = async (
  gateway: string,
  says: readonly string[],
  { session, stream = false }: { readonly session: string; readonly stream?: boolean },
): Promise<string> => {
  const messages: Message[] = [];
  let turnId = '';
  for (const content of says) {
    messages.push({ role: 'user', content });
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': session },
      body: JSON.stringify({ messages, tools: TOOLS, stream }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the chat was answered with ${response.status}: ${text}`);
    turnId = response.headers.get('x-rl-turn-id') ?? '';
    if (!stream) messages.push((JSON.parse(text) as { choices: { message: Message }[] }).choices[0]!.message);
  }
  return turnId;
};

/** Words that are said in conversations and nowhere else. */
export const SAID =
  /Which file|that works|Which shell|look again|Which day|the weather|Which port|two minds|stand-in for a model/;

/** Judged +1, -1, 0, and +1 by two votes of three; what is said last has no next state. */
const SAYS = [
  ['Which file?', 'Thanks, that works.'],
  ['Which shell?', 'That is wrong, look again.'],
  ['Which day?', 'Tell me of the weather.'],
  ['Which port?', 'I am of two minds.'],
] as const;

const post = async (url: string, body: object): Promise<void> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
};

/** What people say in one round; its sessions are the round's own. */
const talk = async (stack: CrashStack, round: number): Promise<void> => {
  const gateway = stack.gateways[0]!.url;
  for (const [index, says] of SAYS.entries()) await converse(gateway, says, { session: `${round}-${index}` });
  await converse(gateway, ['A stream, please.'], { session: `${round}-stream`, stream: true });
  const turnId = await converse(gateway, ['What is your name?'], { session: `${round}-feedback` });
  await post(`${gateway}/v1/feedback`, { turn_id: turnId, score: 1 });
  await post(`${gateway}/v1/sessions/${round}-0/end`, {});
};

/** A batch, and an update around which a chat waits. The weights are the ones that serve already. */
const updateByHand = async (stack: CrashStack, round: number): Promise<void> => {
  const trainer = new TrainerClient(stack.doors[0]!);
  const ready = (round + 1) * TALK.samples - round * BY_HAND;
  await until(async () => (await trainer.stats()).waiting === ready, { what: `${ready} samples`, timeoutMs: 30_000 });
  const { lease_id: lease } = await trainer.lease({ max: BY_HAND, min: BY_HAND });
  const { token } = await trainer.post<{ token: string }>('/v1/policy/updates', { lease_ids: [lease] });
  const waiting = converse(stack.gateways[0]!.url, ['Who waits at the gate?'], { session: `${round}-gate` });
  await until(async () => (await stack.metric(stack.of('gateway')[0]!, 'openclaw_rl_gate_closed')) === 1, {
    what: 'the gateway knows that the gate is closed',
  });
  await post(`${stack.doors[0]}/v1/policy/updates/${token}/commit`, { weights_path: POCKET_WEIGHTS });
  await waiting;
};

/** The trainer of the compose file's default profile, with a door and a folder of this stack's. */
const startTrainer = async (stack: CrashStack): Promise<{ trainer: Service; url: string }> => {
  const port = await freePort();
  const trainer = new Service({
    app: 'trainer',
    name: 'trainer',
    logs: join(stack.folder, 'logs'),
    env: {
      ...stack.of('sample-submitter')[0]!.options.env,
      OPENCLAW_RL_TRAINER_BACKEND: 'pocket',
      OPENCLAW_RL_TRAINER_DOOR_URL: stack.doors[0]!,
      OPENCLAW_RL_TRAINING_WEIGHTS_DIR: join(stack.folder, 'weights'),
      OPENCLAW_RL_RL_ROLLOUT_STEPS: String(BATCH),
      OPENCLAW_RL_METRICS_PORT: String(port),
    },
  });
  trainer.start();
  await trainer.whenUp();
  return { trainer, url: `http://127.0.0.1:${port}` };
};

/** Judges a turn in two minds; asked for a hint, and about other turns, the double answers as it does. */
const disputeRule = (): AnswerRule => {
  let votes = 0;
  return ({ role, lastText, body }) => {
    if (role !== 'judge' || !lastText.includes('of two minds') || JSON.stringify(body).includes('hint'))
      return undefined;
    // Two votes of three that agree end the voting: the one that agrees comes last.
    const [score, firstDelayMs] = [[1, 0] as const, [-1, 0] as const, [1, 500] as const][votes % 3]!;
    votes += 1;
    return { to: 'judge', content: JSON.stringify({ reason: 'Hard to say.', score }), firstDelayMs };
  };
};

/** Starts a stack with the settings, users and configuration of the compose file, as far as they do not name containers. */
export const startDeployedStack = async (): Promise<DeployedStack> => {
  const recordsDir = mkdtempSync(join(tmpdir(), 'records-'));
  const passwords = readEnvFile('deploy/env/nats.env');
  Object.assign(process.env, passwords);
  const engine = await startPocketEngine();
  const stack = await CrashStack.start({
    idleS: 120,
    natsConfig: natsConfigOfCompose(),
    replicas: { gateway: 1, 'session-tracker': 1, 'opd-teacher': 1, 'sample-submitter': 1 },
    env: {
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'policy',
      OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
      OPENCLAW_RL_SERVER_TEMPERATURE: '1',
      OPENCLAW_RL_RECORDS_ENABLED: 'true',
      OPENCLAW_RL_LOGS_LEVEL: 'debug',
      OPENCLAW_RL_LOGS_FORMAT: 'json',
    },
    envOf: (app, nats) => ({
      OPENCLAW_RL_NATS_URL: nats.replace('//', `//${app}:development@`),
      OPENCLAW_RL_RECORDS_DIR: join(recordsDir, app),
    }),
  });
  stack.judge.script(disputeRule());
  const { trainer, url: trainerUrl } = await startTrainer(stack);
  let rounds = 0;
  return {
    stack,
    engineUrl: engine.url,
    trainerUrl,
    use: async () => {
      await talk(stack, rounds);
      await updateByHand(stack, rounds);
      rounds += 1;
    },
    train: async () => {
      await talk(stack, rounds);
      rounds += 1;
      await until(() => trainer.output.includes('a round of training is done'), {
        what: 'the trainer has trained',
        timeoutMs: 60_000,
      });
    },
    logs: () => {
      const read = (name: string): string => readFileSync(join(stack.folder, 'logs', `${name}.log`), 'utf8');
      return Object.fromEntries([...stack.services, trainer].map(({ name }) => [name, read(name)]));
    },
    stop: async () => {
      await trainer.stop();
      await stack.stop();
      await engine.close();
      rmSync(recordsDir, { recursive: true, force: true });
      for (const name of Object.keys(passwords)) Reflect.deleteProperty(process.env, name);
    },
  };
};
