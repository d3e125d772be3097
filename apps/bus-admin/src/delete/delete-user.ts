import { NoRespondersError } from '@nats-io/transport-node';
import { scanInfos, type Session } from '@app/bus';
import { BUCKETS, EraseSession, STREAM_NAMES, turnPlaceKey, parseTurnPlace } from '@app/contracts';
import { Problem } from '../problem';
import { findAwayCopies } from './away-copies';
import { untilLed } from './until-led';
import { UserSessions, type Forgotten } from './user-sessions';

/**
 * How long a removal may take, one try after the other: one that fails is not answered, as while a stream has no leader, and
 * scanning the streams of a full store takes a while.
 */
const TRIES_MS = [10_000, 10_000, 30_000, 120_000];
const PLACES = `KV_${BUCKETS.sessions.name}`;

export interface Deleted {
  readonly sessions: number;
  readonly messages: number;
  readonly records: number;
  /** Messages of the user that are there all the same: somebody goes on talking. */
  readonly left: number;
  /** Servers whose copies have yet to follow. */
  readonly away: readonly string[];
}

/** Has sample-submitter remove everything that is kept of a user, or of one of his sessions, and looks whether it is gone. @throws Problem */
export const deleteUser = async (session: Session, user: Forgotten): Promise<Deleted> => {
  const found = await untilLed(() => findSessions(session, user));
  let [messages, records] = [0, 0];
  for (const key of found.sessions) {
    const erased = await erase(session, key);
    messages += erased.messages;
    records += erased.records;
  }
  const left = await untilLed(() => countLeft(session, found));
  const away = await untilLed(() => findAwayCopies(session));
  return { sessions: found.sessions.length, messages, records, left, away };
};

const countLeft = async (session: Session, found: UserSessions): Promise<number> => {
  let left = 0;
  for await (const info of everyInfo(session)) left += found.count(info);
  return left;
};

const findSessions = async (session: Session, user: Forgotten): Promise<UserSessions> => {
  const found = new UserSessions(user);
  for await (const info of everyInfo(session)) found.learn(info);
  for (const turnId of found.turnIds) {
    const query = { last_by_subj: `$KV.${BUCKETS.sessions.name}.${turnPlaceKey(turnId)}` };
    const stored = await session.jsm.streams.getMessage(PLACES, query);
    // A place that was forgotten left a marker.
    if (stored !== null && stored.data.byteLength > 0) found.place(turnId, parseTurnPlace(stored.json()).session);
  }
  return found;
};

async function* everyInfo(session: Session): AsyncGenerator<string> {
  for (const stream of STREAM_NAMES) for await (const { info } of scanInfos(session, stream)) yield info;
}

const erase = async (session: Session, key: string): Promise<{ messages: number; records: number }> => {
  const request = EraseSession.encodeRequest({ session: key });
  let failure: unknown;
  for (const timeout of TRIES_MS) {
    try {
      const reply = await session.nc.request(EraseSession.subject, request, { timeout });
      return EraseSession.decodeReply(reply.string());
    } catch (error) {
      failure = error;
      if (error instanceof NoRespondersError) break;
    }
  }
  throw new Problem(
    'sample-submitter, which removes sessions, does not answer: what was asked for is not done. Start it, and delete again',
    { cause: failure },
  );
};
