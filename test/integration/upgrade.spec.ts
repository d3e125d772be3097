import { randomUUID } from 'node:crypto';
import { Bus } from '@app/bus';
import { sessionKey, TurnFollowed, type EncodedMessage } from '@app/contracts';
import { startEngineDouble, startNatsServer, until } from '@app/testing';
import type { InspectedStream } from '../../apps/bus-admin/src/inspect/inspect';
import { run } from '../../apps/bus-admin/src/run';
import { arrived, completed, judged } from '../support/least-messages';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { Loop, outcomesIn } from './loop-harness';

const PRAISE = [{ role: 'user', content: 'thanks, that is great' }];

describe('an upgrade', () => {
  let opened: Opened;
  let url: string;
  let bus: Bus;

  beforeEach(async () => {
    opened = new Opened();
    url = opened.add(await startNatsServer()).url;
    bus = opened.add(new Bus({ app: 'older', url, storeGb: 1, replicas: 1 }));
    await bus.ready();
  });
  afterEach(async () => {
    await opened.close();
  });

  const store = async (...messages: readonly EncodedMessage[]): Promise<void> => {
    for (const message of messages) await bus.publishEncoded(message);
  };
  const inspect = async (): Promise<{ streams: InspectedStream[]; problem: string | null }> => {
    const { text, problem } = await run({ name: 'inspect', asJson: true }, settingsFrom({ NATS_URL: url }));
    return { streams: JSON.parse(text) as InspectedStream[], problem };
  };

  /** An answer and what was said to it, for the tracker to find. */
  const untracked = async (): Promise<string> => {
    const [turn, next] = [randomUUID(), randomUUID()];
    const place = { namedSession: sessionKey('scope', turn) };
    const parent = { ...place, parentChain: `chain-${turn}`, nextStateRole: 'user' };
    await store(
      arrived(turn, place),
      completed(turn, { ...place, chain: `chain-${turn}` }),
      arrived(next, parent, PRAISE),
      completed(next, parent),
    );
    return turn;
  };
  /** One whose next state has been found, for the judge. */
  const unjudged = async (): Promise<string> => {
    const [turn, next] = [randomUUID(), randomUUID()];
    const info = { turnId: turn, session: 's', role: 'user' as const, nextTurnId: next };
    await store(completed(turn), arrived(next, {}, PRAISE), TurnFollowed.encode([turn], info, {}));
    return turn;
  };
  /** One that has been judged, for the submitter. */
  const unsettled = async (): Promise<string> => {
    const turn = randomUUID();
    await store(completed(turn), judged(turn));
    return turn;
  };

  it('works off what the version before has left half way, and leaves nothing lying', async () => {
    const turns = [await untracked(), await unjudged(), await unsettled()];
    const before = await inspect();
    expect(before.problem).toBeNull();
    const kinds = before.streams.flatMap((stream) => stream.kinds.map(({ name, messages }) => [name, messages]));
    expect(Object.fromEntries(kinds)).toMatchObject({
      'rl.turn.arrived.v1': 3,
      'rl.turn.completed.v1': 4,
      'rl.turn.followed.v1': 1,
      'rl.turn.judged.v1': 1,
      'rl.turn.settled.v1': 0,
    });

    opened.add(await Loop.start({ natsUrl: url, engineUrl: opened.add(await startEngineDouble()).url }));
    for (const turn of turns) {
      const outcome = await until(async () => (await outcomesIn(bus)).get(turn), {
        what: 'its outcome',
        timeoutMs: 30_000,
      });
      expect(outcome).toMatchObject({ kind: 'sample', score: 1 });
    }
    await until(
      async () => {
        const queues = (await inspect()).streams.flatMap((stream) => stream.queues);
        return queues.length > 0 && queues.every(({ waiting, inHand }) => waiting + inHand === 0);
      },
      { what: 'nothing waits' },
    );
    expect((await inspect()).problem).toBeNull();
  });

  it('leaves a newer version its subjects when a service of the older one is started again', async () => {
    const { jsm, js } = bus.connection.current();
    const { config } = await jsm.streams.info('RL_TURNS');
    await jsm.streams.update('RL_TURNS', { ...config, subjects: [...config.subjects, 'rl.turn.completed.v2.*'] });
    await opened.add(new Bus({ app: 'older-again', url, storeGb: 1, replicas: 1 })).ready();
    await js.publish('rl.turn.completed.v2.turn-1', 'new');
    const message = await jsm.streams.getMessage('RL_TURNS', { last_by_subj: 'rl.turn.completed.v2.*' });
    expect(message?.string()).toBe('new');
  });
});
