import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Bus } from '@app/bus';
import { BUCKETS, CONSUMERS, sessionKey, STREAM_NAMES, STREAMS, TurnArrived } from '@app/contracts';
import { startNatsServer, type NatsServer } from '@app/testing';
import { run } from '../../apps/bus-admin/src/run';
import { natsConfigOfCompose, readEnvFile } from '../support/compose-file';
import { mainTurn } from '../support/main-turn';
import { settingsFrom } from '../support/settings-from';
import { startSubmitter } from './submitter-harness';

const passwords = readEnvFile('deploy/env/nats.env');
const SERVICES = ['gateway', 'session-tracker', 'prm-judge', 'opd-teacher', 'sample-submitter'] as const;
const USERS = [...SERVICES, 'doctor'] as const;
type User = (typeof USERS)[number];

/** Every subject that a message of some stream can have, with one id in each place. */
const SUBJECTS = Object.values(STREAMS).flatMap(({ subjects }) => subjects.map((each) => each.replaceAll('*', 'id-1')));

let folder: string;
let server: NatsServer;
const connections = new Map<User, NatsConnection>();
const refused = new Map<User, string[]>(USERS.map((user) => [user, []]));

beforeAll(async () => {
  Object.assign(process.env, passwords);
  folder = mkdtempSync(join(tmpdir(), 'users-'));
  const store = `jetstream { store_dir: ${JSON.stringify(folder)} }`;
  server = await startNatsServer({ config: `${natsConfigOfCompose()}\n${store}` });
  for (const user of USERS) {
    const nc = await connect({ servers: server.url, user, pass: 'development', reconnect: false });
    connections.set(user, nc);
    void (async () => {
      for await (const status of nc.status()) {
        if (status.type === 'error') refused.get(user)?.push(status.error.message);
      }
    })();
  }
});

afterAll(async () => {
  await Promise.all([...connections.values()].map((nc) => nc.close()));
  await server.stop();
  rmSync(folder, { recursive: true });
  for (const name of Object.keys(passwords)) Reflect.deleteProperty(process.env, name);
});

/** Users whom the server lets do something. It tells of a refusal before it answers the flush. */
const whoMay = async (act: (nc: NatsConnection) => void): Promise<User[]> => {
  const allowed: User[] = [];
  for (const user of USERS) {
    const nc = connections.get(user)!;
    const complaints = refused.get(user)!;
    complaints.length = 0;
    act(nc);
    await nc.flush();
    // The client hands a complaint on in a later microtask than the answer.
    await setImmediate();
    if (complaints.length === 0) allowed.push(user);
  }
  return allowed;
};

const whoMayPublish = (subject: string): Promise<User[]> =>
  whoMay((nc) => {
    nc.publish(subject);
  });

const whoMaySubscribe = (subject: string): Promise<User[]> =>
  whoMay((nc) => {
    nc.subscribe(subject, { callback: () => undefined });
  });

const urlOf = (user: string): string => server.url.replace('//', `//${user}:development@`);

describe("the operator's user at NATS", () => {
  it('may look at everything, back it up and put it back', async () => {
    const settings = settingsFrom({ NATS_URL: urlOf('bus-admin') });
    const bus = new Bus({ app: 'gateway', url: urlOf('gateway'), storeGb: 1, replicas: 1 });
    const backup = join(folder, 'backup');
    try {
      await bus.ready();
      const owner = new Bus({ app: 'session-tracker', url: urlOf('session-tracker'), storeGb: 1, replicas: 1 });
      await (await owner.bucket(BUCKETS.sessions)).delete('turn.a').finally(() => owner.close());
      const { text } = await run({ name: 'inspect', asJson: false }, settings);
      expect(text).toContain('0 of rl.turn.completed.v1');
      expect(text).toContain('1 of them only mark');
      expect((await run({ name: 'backup', folder: backup }, settings)).text).toContain('is whole');
      expect((await run({ name: 'restore', folder: backup, replace: true }, settings)).text).toContain('is in place');
    } finally {
      await bus.close();
    }
  });

  it("may have the submitter delete a user's data, and look whether it is gone", async () => {
    const submitter = await startSubmitter(urlOf('sample-submitter'));
    const bus = new Bus({ app: 'gateway', url: urlOf('gateway'), storeGb: 1, replicas: 1 });
    try {
      await bus.ready();
      const info = mainTurn('turn-1', { namedSession: sessionKey('scope', 'work') });
      await bus.publish(TurnArrived, ['turn-1'], { info, head: { nextState: [] } });
      const command = { name: 'delete', user: { scope: 'scope', session: null }, whose: 'nobody' } as const;
      const { text } = await run(command, settingsFrom({ NATS_URL: urlOf('bus-admin') }));
      expect(text).toContain('1 messages and 0 record lines of 1 sessions are deleted.');
      expect(await bus.read(TurnArrived, 'turn-1')).toBeNull();
    } finally {
      await Promise.all([bus.close(), submitter.close()]);
    }
  });

  it.each([
    '$JS.API.STREAM.CREATE.RL_TURNS',
    '$JS.API.STREAM.PURGE.RL_TURNS',
    '$JS.API.CONSUMER.DELETE.RL_FOLLOWS.prm-judge',
  ])('may not %s', async (subject) => {
    const nc = await connect({ servers: server.url, user: 'bus-admin', pass: 'development', reconnect: false });
    const complaints: string[] = [];
    void (async () => {
      for await (const status of nc.status()) if (status.type === 'error') complaints.push(status.error.message);
    })();
    nc.publish(subject);
    await nc.flush();
    await setImmediate();
    await nc.close();
    expect(complaints).toHaveLength(1);
  });
});

describe("the services' users at NATS", () => {
  it.each([
    ['rl.turn.arrived.v1.t', ['gateway']],
    ['rl.turn.completed.v1.t', ['gateway']],
    ['rl.feedback.given.v1.t.f', ['gateway']],
    ['rl.session.closed.v1.r', ['gateway']],
    ['rl.rpc.session.erase.v1', ['gateway']],
    ['rl.rpc.policy.running.v1', ['sample-submitter']],
    ['rl.rpc.console.turns.v1', ['gateway']],
    ['rl.live.console.v1', ['sample-submitter']],
    ['rl.policy.updated.v1.1', ['sample-submitter']],
    ['rl.policy.answered.v1.1', ['sample-submitter']],
    ['rl.turn.followed.v1.t', ['session-tracker']],
    ['rl.session.ended.v1.s.1', ['session-tracker']],
    ['rl.turn.judged.v1.t', ['prm-judge']],
    ['rl.turn.hinted.v1.t', ['opd-teacher']],
    ['rl.turn.settled.v1.t', SERVICES],
    ['$KV.rl-policy.state', ['sample-submitter']],
    // Feedback is answered by what has become of its turn.
    ['$JS.API.DIRECT.GET.RL_FOLLOWS.rl.turn.followed.v1.t', SERVICES],
    ['$JS.API.DIRECT.GET.RL_VERDICTS.rl.turn.judged.v1.t', SERVICES.filter((name) => name !== 'gateway')],
    ['$JS.API.STREAM.MSG.DELETE.RL_TURNS', ['sample-submitter']],
  ])('publish %s if it is theirs to say', async (subject, users) => {
    expect(await whoMayPublish(subject)).toEqual(users);
  });

  it.each(SUBJECTS)('say %s, by somebody', async (subject) => {
    const dead = /^rl\.dead\.letter\.v1\.id-1/.test(subject);
    expect(await whoMayPublish(dead ? subject.replace('id-1', 'prm-judge') : subject)).not.toEqual([]);
  });

  it.each(Object.values(CONSUMERS))(
    'work off $stream as $durable, and nobody else does',
    async ({ stream, durable }) => {
      const user = durable.replace(/-records$/, '');
      expect(await whoMayPublish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`)).toEqual([user]);
      expect(await whoMayPublish(`$JS.API.CONSUMER.CREATE.${stream}.${durable}.rl.*.*.v1.>`)).toEqual([user]);
      expect(await whoMayPublish(`$JS.ACK.${stream}.${durable}.1.1.1.1.0`)).toEqual([user]);
      expect(await whoMayPublish(`$JS.API.CONSUMER.DELETE.${stream}.${durable}`)).toEqual([user]);
    },
  );

  it.each([...STREAM_NAMES, ...Object.values(BUCKETS).map(({ name }) => `KV_${name}`)])(
    'declare %s, and never delete or purge it',
    async (stream) => {
      expect(await whoMayPublish(`$JS.API.STREAM.CREATE.${stream}`)).toEqual(SERVICES);
      expect(await whoMayPublish(`$JS.API.STREAM.DELETE.${stream}`)).toEqual([]);
      expect(await whoMayPublish(`$JS.API.STREAM.PURGE.${stream}`)).toEqual([]);
    },
  );

  it.each(USERS)('have an inbox of their own: %s', async (user) => {
    expect(await whoMaySubscribe(`_INBOX.${user}.>`)).toEqual([user]);
  });

  it('say how many calls run, if they call engines', async () => {
    expect(await whoMaySubscribe('rl.rpc.policy.running.v1')).toEqual(['gateway', 'prm-judge', 'opd-teacher']);
  });

  it('tell open consoles what is new through the gateway alone', async () => {
    expect(await whoMaySubscribe('rl.live.console.v1')).toEqual(['gateway']);
  });

  it.each([
    '$JS.API.STREAM.INFO.RL_DEAD',
    '$JS.API.CONSUMER.INFO.RL_FOLLOWS.prm-judge',
    '$JS.API.DIRECT.GET.RL_TURNS.rl.turn.completed.v1.t',
    '$JS.API.DIRECT.GET.RL_SAMPLES.rl.turn.settled.v1.t',
  ])('let the doctor look: %s', async (subject) => {
    expect(await whoMayPublish(subject)).toContain('doctor');
  });

  it.each([
    ['RL_TURNS', 'rl.turn.completed.v1.t'],
    ['RL_FOLLOWS', 'rl.turn.followed.v1.t'],
    ['RL_VERDICTS', 'rl.turn.judged.v1.t'],
    ['RL_SAMPLES', 'rl.turn.settled.v1.t'],
  ])('read %s from its leader who may read its copies', async (stream, subject) => {
    const readers = await whoMayPublish(`$JS.API.DIRECT.GET.${stream}.${subject}`);
    expect(await whoMayPublish(`$JS.API.STREAM.MSG.GET.${stream}`)).toEqual(readers);
  });

  it.each(['>', 'rl.>', '_INBOX.>', '$JS.>'])('never listen to %s', async (subject) => {
    expect(await whoMaySubscribe(subject)).toEqual([]);
  });

  it('are let in with their password only', async () => {
    const options = { servers: server.url, reconnect: false, user: 'gateway' };
    await expect(connect({ ...options, pass: 'another' })).rejects.toThrow(/authorization/i);
    await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/authorization/i);
  });
});
