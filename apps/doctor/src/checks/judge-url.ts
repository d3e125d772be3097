import { planPools } from '@app/pools';
import type { Check } from '../check';
import { ok, worstOf, type Finding } from '../finding';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';
import { notRunning } from './not-running';

const look = async (visit: Visit): Promise<Finding> => {
  const { settings, isContainer } = visit;
  const { judgeUrls: urls } = planPools(settings);
  if (urls.length === 0) return notRunning(visit, 'no judge is set, so it brings the pocket judge');
  const setting =
    settings.server.judgeBaseUrl === settings.server.baseUrl ? 'server.base_url' : 'server.judge_base_url';
  const place = worstOf(
    await Promise.all(
      urls.map(async (url) => judgeReach(await reach(url), { what: 'the judge', setting, isContainer })),
    ),
  );
  return place.status === 'ok' ? ok(`${urls.join(', ')} accepts connections`) : place;
};

export const judgeUrlCheck: Check = { id: 'judge', title: 'judge', needs: ['settings'], look };
