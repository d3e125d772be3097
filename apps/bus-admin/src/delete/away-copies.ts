import type { Session } from '@app/bus';
import { findStreams } from '../stored-streams';

/** Servers of a cluster that are away, or behind with what was deleted. */
export const findAwayCopies = async (session: Session): Promise<readonly string[]> => {
  const streams = await findStreams(session);
  const copies = streams.flatMap(({ cluster }) => cluster?.replicas ?? []);
  return [...new Set(copies.filter(({ current, offline }) => !current || offline).map(({ name }) => name))].sort();
};
