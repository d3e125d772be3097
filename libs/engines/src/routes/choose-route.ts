import type { UpstreamClient } from '../upstream-client';
import type { RouteChoice } from './capture-route';
import { probeChat } from './probe-chat';

/** Routes through the chat API, best first. */
const BY_CHAT = ['sglext', 'token_ids'] as const;

/**
 * Finds the best way to capture turns from an engine: tries the routes in order and says what stood against each that did
 * not do. null where the engine serves no chat, so that nothing can be found out.
 *
 * @throws UpstreamUnreachableError, UpstreamTimeoutError
 */
export const chooseRoute = async (engine: UpstreamClient, model: string | null): Promise<RouteChoice | null> => {
  const against: string[] = [];
  for (const route of BY_CHAT) {
    const probe = await probeChat(engine, model, route);
    if (probe === null) return null;
    if (probe.works) return { route, why: against.join('; ') };
    against.push(`${route}: ${probe.why}`);
  }
  return { route: 'text', why: against.join('; ') };
};
