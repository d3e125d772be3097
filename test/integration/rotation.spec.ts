import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { Bus } from '@app/bus';
import { scopeOf, TurnArrived } from '@app/contracts';
import { runApp } from '@app/telemetry';
import { startEngineDouble, startNatsServer, until } from '@app/testing';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { natsConfigOfCompose, readEnvFile, ROOT } from '../support/compose-file';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { outcomesIn } from './loop-harness';
import { startSubmitter } from './submitter-harness';

const TEST_MS = 120_000;
const SHUTTING_DOWN = 503;
type Service = 'gateway' | 'session-tracker' | 'prm-judge' | 'sample-submitter';

interface Message {
  readonly role: string;
  readonly content: string;
}

/** A client that talks without a pause, through whichever gateway answers it. */
class Talker {
  /** Turns whose answers it has. */
  readonly turns: string[] = [];
  readonly failures: string[] = [];
  private readonly messages: Message[] = [];
  private readonly session = randomUUID();
  private isTalking = false;
  private said: Promise<void> = Promise.resolve();

  constructor(
    private readonly gateways: () => readonly TestGateway[],
    public key: string,
  ) {}

  /** One turn, unless there is no gateway. Those that are gone or going are passed over, as a balancer does. */
  async say(): Promise<void> {
    const question = { role: 'user', content: 'thanks, that is great' };
    const ask = async (): Promise<Response | 'closed' | null> =>
      this.gateways().length === 0 ? 'closed' : this.ask([...this.messages, question]);
    const response = await until(ask, { what: 'some gateway answers' });
    if (response === 'closed') return;
    const text = await response.text();
    if (!response.ok) {
      this.failures.push(`${response.status} ${text}`);
      return;
    }
    const { choices } = JSON.parse(text) as { choices: { message: Message }[] };
    this.messages.push(question, choices[0]!.message);
    this.turns.push(response.headers.get('x-rl-turn-id')!);
  }

  start(): void {
    this.isTalking = true;
    this.said = (async () => {
      while (this.isTalking) await this.say();
    })();
  }

  async stop(): Promise<void> {
    this.isTalking = false;
    await this.said;
  }

  private async ask(messages: readonly Message[]): Promise<Response | null> {
    for (const { url } of this.gateways()) {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${this.key}`,
        'x-session-id': this.session,
      };
      const body = JSON.stringify({ model: 'm', messages });
      const answer = fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
      const response = await answer.catch(() => null);
      if (response !== null && response.status !== SHUTTING_DOWN) return response;
    }
    return null;
  }
}

let opened: Opened;
let folder: string;
let engineUrl: string;

beforeEach(async () => {
  opened = new Opened();
  folder = mkdtempSync(join(tmpdir(), 'rotation-'));
  engineUrl = opened.add(await startEngineDouble()).url;
});
afterEach(async () => {
  await opened.close();
  rmSync(folder, { recursive: true });
});

const variablesOf = (natsUrl: string) => ({
  NATS_URL: natsUrl,
  OPENCLAW_RL_NATS_STORE_GB: '1',
  OPENCLAW_RL_SERVER_BASE_URL: engineUrl,
  OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
  OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
  // Longer than a rotation, so that a conversation goes on over it.
  OPENCLAW_RL_SESSION_IDLE_MINUTES: '0.1',
});

const startWorkers = async (urlOf: (service: Service) => string): Promise<Opened> => {
  const workers = opened.add(new Opened());
  const place = { host: '127.0.0.1', port: 0, logLevel: 'error', logFormat: 'text' } as const;
  const tracker = SessionTrackerModule.forSettings(settingsFrom(variablesOf(urlOf('session-tracker'))));
  const judge = PrmJudgeModule.forSettings(settingsFrom(variablesOf(urlOf('prm-judge'))));
  for (const module of [tracker, judge]) workers.add(await runApp({ module, ...place }));
  workers.add(await startSubmitter(urlOf('sample-submitter'), variablesOf(urlOf('sample-submitter'))));
  return workers;
};

/** Waits until each of these turns is stored and has its outcome. */
const untilSettled = (bus: Bus, turns: readonly string[]) =>
  until(
    async () => {
      const outcomes = await outcomesIn(bus);
      return turns.every((id) => outcomes.get(id) != null) ? outcomes : null;
    },
    { what: 'every answered turn has its outcome', timeoutMs: 60_000, everyMs: 250 },
  );

const scopesOf = async (bus: Bus, turns: readonly string[]): Promise<string[]> =>
  Promise.all(turns.map(async (id) => (await bus.read(TurnArrived, id))!.info.scope));

describe('a chat key that is replaced', () => {
  it(
    'is taken beside the new one by one gateway after the other, and no chat fails but those that still use it in the end',
    async () => {
      const nats = opened.add(await startNatsServer());
      const gateways: TestGateway[] = [];
      const restart = async (place: number, keys: string): Promise<void> => {
        const old = gateways[place];
        if (old !== undefined) {
          gateways.splice(place, 1);
          await old.close();
        }
        const env = { ...variablesOf(nats.url), OPENCLAW_RL_GATEWAY_API_KEYS: keys };
        gateways.splice(place, 0, opened.add(await startGateway(env)));
      };
      const keysOfAll = async (keys: string): Promise<void> => {
        for (const place of [0, 1]) await restart(place, keys);
      };
      await keysOfAll('k-old');
      await startWorkers(() => nats.url);
      const bus = opened.add(new Bus({ app: 'test', url: nats.url, storeGb: 1, replicas: 1 }));
      await bus.ready();
      const [mover, laggard] = [new Talker(() => gateways, 'k-old'), new Talker(() => gateways, 'k-old')];
      mover.start();
      laggard.start();
      await until(() => mover.turns.length > 2, { what: 'a conversation has begun' });

      await keysOfAll('k-old,k-new');
      mover.key = 'k-new';
      const before = mover.turns.length;
      await until(() => mover.turns.length > before + 2, { what: 'the client goes on with its new key' });
      expect([mover.failures, laggard.failures]).toEqual([[], []]);
      await laggard.stop();
      await keysOfAll('k-new');
      await mover.stop();
      expect(mover.failures).toEqual([]);
      await laggard.say();
      expect(laggard.failures).toEqual([expect.stringMatching(/^401 .*gateway\.api_keys/)]);

      const outcomes = await untilSettled(bus, [...mover.turns, ...laggard.turns]);
      // Whose a conversation is, its key says: what goes on under another key is another conversation.
      const scopes = await scopesOf(bus, mover.turns);
      const moved = scopes.indexOf(scopeOf({ apiKey: 'k-new' }));
      expect(scopes).toEqual(scopes.map((_, turn) => scopeOf({ apiKey: turn < moved ? 'k-old' : 'k-new' })));
      expect(outcomes.get(mover.turns[moved - 1]!)).toMatchObject({ kind: 'reason', reason: 'no_next_state' });
      expect(outcomes.get(mover.turns[moved]!)).toMatchObject({ kind: 'sample' });
    },
    TEST_MS,
  );
});

describe("the services' passwords at NATS", () => {
  const script = () => join(folder, 'new-secrets.sh');
  const secrets = () => readEnvFile(join(folder, 'secrets/nats.env'));
  const passwordOf = (service: Service): string =>
    secrets()[`NATS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`]!;

  afterEach(() => {
    for (const name of Object.keys(secrets())) Reflect.deleteProperty(process.env, name);
  });

  it(
    'are renewed in an order in which no answered turn is lost and a conversation goes on',
    async () => {
      cpSync(join(ROOT, 'deploy/new-secrets.sh'), script());
      execFileSync('sh', [script()]);
      // The server reads them out of its environment.
      Object.assign(process.env, secrets());
      const storeDir = join(folder, 'store');
      const config = `${natsConfigOfCompose()}\njetstream { store_dir: ${JSON.stringify(storeDir)} }`;
      const nats = opened.add(await startNatsServer({ config }));
      const urlOf = (service: Service): string => nats.url.replace('//', `//${service}:${passwordOf(service)}@`);
      const key = { OPENCLAW_RL_GATEWAY_API_KEYS: 'k' };
      const open = async () => opened.add(await startGateway({ ...variablesOf(urlOf('gateway')), ...key }));
      let gateways = [await open()];
      const workers = await startWorkers(urlOf);
      const talkers = [1, 2, 3].map(() => new Talker(() => gateways, 'k'));
      for (const talker of talkers) talker.start();
      await until(() => talkers.every(({ turns }) => turns.length > 2), { what: 'conversations have begun' });

      // docker compose stop gateway
      const [gateway] = gateways;
      gateways = [];
      const answered = talkers.map((talker) => talker.stop());
      await gateway?.close();
      await Promise.all(answered);
      const before = talkers.map(({ turns }) => turns.length);
      // sh deploy/new-secrets.sh --renew
      const old = passwordOf('gateway');
      execFileSync('sh', [script(), '--renew']);
      // docker compose up -d
      Object.assign(process.env, secrets());
      await nats.restart();
      const ended = workers.close();
      await startWorkers(urlOf);
      gateways = [await open()];
      for (const talker of talkers) await talker.say();

      const refused = connect({ servers: nats.url, user: 'gateway', pass: old, reconnect: false });
      await expect(refused).rejects.toThrow(/authorization/i);
      const bus = opened.add(
        new Bus({ app: 'sample-submitter', url: urlOf('sample-submitter'), storeGb: 1, replicas: 1 }),
      );
      await bus.ready();
      const outcomes = await untilSettled(
        bus,
        talkers.flatMap(({ turns }) => turns),
      );
      for (const [i, { turns }] of talkers.entries()) {
        expect(turns).toHaveLength(before[i]! + 1);
        expect(outcomes.get(turns.at(-2)!)).toMatchObject({ kind: 'sample', score: 1 });
      }
      await ended;
    },
    TEST_MS,
  );
});
