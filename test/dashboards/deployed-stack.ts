import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, type AnswerRule } from '@app/testing';
import { CrashStack } from '../crash/stack';
import { natsConfigOfCompose, readEnvFile } from '../support/compose-file';
import { TrainerClient } from '../support/trainer-client';

const TOOLS = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object', properties: {} } } }];

/** A stack as it runs in containers, but for the containers: two judges, and the users of NATS. */
export interface DeployedStack {
  readonly stack: CrashStack;
  /** Lets people talk, judges vote, and a trainer train; each time with other sessions. */
  use(): Promise<void>;
  /** What each process has written so far, by its name. */
  logs(): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** What one `use` comes to. */
export const USE = { chats: 11, samples: 4, trained: 3, disputed: 1, hinted: 1 } as const;

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

const useStack = async (stack: CrashStack, round: number): Promise<void> => {
  const gateway = stack.gateways[0]!.url;
  for (const [index, says] of SAYS.entries()) await converse(gateway, says, { session: `${round}-${index}` });
  await converse(gateway, ['A stream, please.'], { session: `${round}-stream`, stream: true });
  const turnId = await converse(gateway, ['What is your name?'], { session: `${round}-feedback` });
  await post(`${gateway}/v1/feedback`, { turn_id: turnId, score: 1 });
  await post(`${gateway}/v1/sessions/${round}-0/end`, {});
  const trainer = new TrainerClient(stack.doors[0]!);
  const ready = round + USE.samples;
  await until(async () => (await trainer.stats()).waiting === ready, { what: `${ready} samples`, timeoutMs: 30_000 });
  const { lease_id: lease } = await trainer.lease({ max: USE.trained, min: USE.trained });
  const { token } = await trainer.post<{ token: string }>('/v1/policy/updates', { lease_ids: [lease] });
  const waiting = converse(gateway, ['Who waits at the gate?'], { session: `${round}-gate` });
  await until(async () => (await stack.metric(stack.of('gateway')[0]!, 'openclaw_rl_gate_closed')) === 1, {
    what: 'the gateway knows that the gate is closed',
  });
  await post(`${stack.doors[0]}/v1/policy/updates/${token}/commit`, { weights_path: `/weights/${round}` });
  await waiting;
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
  const stack = await CrashStack.start({
    idleS: 120,
    natsConfig: natsConfigOfCompose(),
    replicas: { gateway: 1, 'session-tracker': 1, 'opd-teacher': 1, 'sample-submitter': 1 },
    env: {
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
  let rounds = 0;
  return {
    stack,
    use: async () => {
      await useStack(stack, rounds);
      rounds += 1;
    },
    logs: () => {
      const read = (name: string): string => readFileSync(join(stack.folder, 'logs', `${name}.log`), 'utf8');
      return Object.fromEntries(stack.services.map(({ name }) => [name, read(name)]));
    },
    stop: async () => {
      await stack.stop();
      rmSync(recordsDir, { recursive: true, force: true });
      for (const name of Object.keys(passwords)) Reflect.deleteProperty(process.env, name);
    },
  };
};
