import type { Bus } from '@app/bus';
import { EraseSession, SessionClosed, sessionKey } from '@app/contracts';
import type { KnownSessions } from './known-sessions';
import { SessionsService } from './sessions.service';

interface Tracker {
  /** Whether it knows sessions called so, each time it is asked. */
  readonly knows: readonly boolean[];
  /** null: it has never run. */
  readonly isUpToDate?: boolean | null;
}

/** A bus on which every session in `kept` has two messages; it notes which sessions it was asked about. */
const serviceOver = (kept: readonly string[], { knows, isUpToDate = true }: Tracker = { knows: [true] }) => {
  const erased: string[] = [];
  const closed: string[] = [];
  const request = (_subject: string, text: string) => {
    const { session } = EraseSession.decodeRequest(text);
    erased.push(session);
    const reply = EraseSession.encodeReply({ messages: kept.includes(session) ? 2 : 0, records: 0 });
    return Promise.resolve({ string: () => reply });
  };
  const publish = (_definition: typeof SessionClosed, _ids: string[], { info }: { info: { session: string } }) => {
    closed.push(info.session);
    return Promise.resolve('stored');
  };
  const bus = { isUp: true, core: () => ({ request }), publish } as unknown as Bus;
  const asked = [...knows];
  const known: Pick<KnownSessions, 'find' | 'catchUp'> = {
    find: () => Promise.resolve(asked.shift() === true ? [{ incarnation: 1, state: 'open', turns: {}, seen: [] }] : []),
    catchUp: () => (isUpToDate === null ? Promise.reject(new Error('no consumer')) : Promise.resolve(isUpToDate)),
  };
  return { service: new SessionsService(bus, known as KnownSessions), erased, closed };
};
const key = (id: string): string => sessionKey('scope', id);

describe('SessionsService', () => {
  it("reaches a session also by OpenClaw's affinity id, and one that is really called so", async () => {
    const { service, erased, closed } = serviceOver([key('t1')]);
    expect(await service.erase('scope', 't1:3')).toEqual({ messages: 2, records: 0 });
    await service.end('scope', 't1:3', undefined);
    expect(erased).toEqual([key('t1:3'), key('t1')]);
    expect(closed).toEqual([key('t1:3'), key('t1')]);
  });

  it('asks once about an id without a count', async () => {
    const { service, erased } = serviceOver([key('t1'), key(':7')]);
    await service.erase('scope', 't1');
    await service.erase('scope', ':7');
    expect(erased).toEqual([key('t1'), key(':7')]);
  });

  it('says so where nothing is kept', async () => {
    const { service } = serviceOver([key('t1')]);
    await expect(service.erase('scope', 'other')).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  it('says so where no session is called so', async () => {
    const { service, closed } = serviceOver([], { knows: [false, false] });
    await expect(service.end('scope', 'other', undefined)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    expect(closed).toEqual([]);
  });

  it.each<[string, Tracker]>([
    ['becomes known meanwhile', { knows: [false, true] }],
    ['may become known, since the session-tracker is behind', { knows: [false, false], isUpToDate: false }],
    ['may become known, since no session-tracker has run yet', { knows: [false, false], isUpToDate: null }],
  ])('ends a session that %s', async (_what, tracker) => {
    const { service, closed } = serviceOver([], tracker);
    await service.end('scope', 't1', undefined);
    expect(closed).toEqual([key('t1')]);
  });
});
