import type { Check } from '../check';
import { failed, ok, worstOf, type Finding } from '../finding';
import { ask } from '../network/http';
import type { Visit } from '../visit';

/** The header tells whole seconds, and answers take a while. */
const NOTICED_S = 5;
const SECOND = 1000;
/** Before this was written no clock can have been right. */
const EARLIEST = Date.UTC(2026, 0, 1);

/** A clock that was looked at from outside. */
interface OtherClock {
  readonly host: string;
  /** Seconds that it is ahead of this machine's; null: it does not tell the time. */
  readonly aheadS: number | null;
}

/** @param now local clock, milliseconds since 1970 */
export const judgeClocks = (others: readonly OtherClock[], now: number): Finding => {
  if (now < EARLIEST)
    return failed(`this machine's clock says ${new Date(now).toISOString()}`, 'set it: switch NTP on');
  const told = others.filter(({ aheadS }) => aheadS !== null);
  if (told.length === 0) return ok('nobody to compare it with tells the time');
  return worstOf(
    told.map(({ host, aheadS }) => {
      const seconds = Math.abs(aheadS ?? 0);
      if (seconds < NOTICED_S) return ok('the same everywhere');
      return failed(
        `${host} is ${Math.round(seconds)} s ${(aheadS ?? 0) > 0 ? 'ahead of' : 'behind'} this machine`,
        'switch NTP on on both: sessions end, and updates hold their lease, by the clock',
      );
    }),
  );
};

const lookAt = async (url: string): Promise<OtherClock> => {
  const { host } = new URL(url);
  try {
    const { headers, at } = await ask(url);
    const date = Date.parse(headers.get('date') ?? '');
    return { host, aheadS: Number.isNaN(date) ? null : (date - at) / SECOND };
  } catch {
    return { host, aheadS: null };
  }
};

const look = async ({ settings, policy, gatewayUrl, doorUrl }: Visit): Promise<Finding> => {
  const { judgeBaseUrl } = settings.server;
  const urls = [...policy.urls, ...(judgeBaseUrl === null ? [] : [judgeBaseUrl])].map((url) => `${url}/health`);
  const all = [...urls, `${gatewayUrl}/healthz`, `${doorUrl}/healthz`];
  return judgeClocks(await Promise.all([...new Set(all)].map(lookAt)), Date.now());
};

export const clockCheck: Check = { id: 'clock', title: 'clock', needs: ['settings'], look };
