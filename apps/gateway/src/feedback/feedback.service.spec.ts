import type { Bus, PublishResult } from '@app/bus';
import { BusUnavailableError } from '@app/bus';
import { loadSettings } from '@app/config';
import { TurnArrived, type EncodedMessage, type TurnInfo } from '@app/contracts';
import { NO_TRACER } from '@app/tracing';
import { Outbox } from '../capture/outbox';
import { KnownSessions } from '../sessions/known-sessions';
import { FeedbackService } from './feedback.service';

const INFO: TurnInfo = {
  turnId: 'turn',
  scope: 'scope',
  arrivedAt: 1,
  kind: 'main',
  client: 'client',
  hasTools: false,
  sessionDone: false,
  policyVersion: 0,
};
const ARRIVED = TurnArrived.encode(['turn'], INFO, { nextState: [] });

/** A bus that can be read, and takes messages of turns from `opens` on only. */
const service = () => {
  const stored = new Map<string, EncodedMessage>();
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const publishEncoded = async (message: EncodedMessage): Promise<PublishResult> => {
    await opened;
    stored.set(message.subject, message);
    return 'stored';
  };
  const outbox = new Outbox(
    { isUp: true, publishEncoded },
    { maxBytes: 10_000, tracer: NO_TRACER, onDropped: () => undefined },
  );
  const read = (_definition: typeof TurnArrived, turnId: string) => {
    const message = stored.get(TurnArrived.subject(turnId));
    return Promise.resolve(message === undefined ? null : TurnArrived.decode(message));
  };
  const documents = () => Promise.resolve({ get: () => Promise.resolve(null) });
  const bus = {
    read,
    documents,
    publish: () => Promise.resolve('stored'),
    newestIn: () => Promise.resolve(0),
    settledThrough: () => Promise.resolve(null),
  } as unknown as Bus;
  const settings = loadSettings({}, () => null);
  return { feedback: new FeedbackService(bus, outbox, new KnownSessions(bus, outbox), settings), outbox, open };
};
const arrives = (outbox: Outbox): boolean => outbox.push({ message: ARRIVED, ifTooLarge: () => [] });

describe('FeedbackService', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('waits for a turn that is on its way to the bus', async () => {
    const { feedback, outbox, open } = service();
    arrives(outbox);
    const given = feedback.give('scope', { turn_id: 'turn', score: 1 });
    await jest.advanceTimersByTimeAsync(100);
    open();
    await jest.advanceTimersByTimeAsync(100);
    await expect(given).resolves.toMatchObject({ turnId: 'turn' });
  });

  it.each([{ turn_id: 'turn' }, { session_id: 'session' }])(
    'does not say of %j that it is unknown while the turn cannot be stored',
    async (which) => {
      const { feedback, outbox } = service();
      arrives(outbox);
      const given = expect(feedback.give('scope', { ...which, score: 1 })).rejects.toBeInstanceOf(BusUnavailableError);
      await jest.advanceTimersByTimeAsync(2100);
      await given;
    },
  );

  it.each([{ turn_id: 'other' }, { session_id: 'other' }])('does not know %j where nothing is held', async (which) => {
    const { feedback } = service();
    await expect(feedback.give('scope', { ...which, score: 1 })).rejects.toMatchObject({ status: 404 });
  });
});
