import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import { describeAnswer } from '../network/describe-answer';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';
import { notRunning } from './not-running';

const look = (visit: Visit): Promise<Finding> | Finding => {
  const { policy, isContainer } = visit;
  if (policy.urls.length === 0) return notRunning(visit, 'no server.base_url is set, so it serves the pocket model');
  return eachPolicy(visit, async (url) => {
    const place = judgeReach(await reach(url), { what: 'the policy', setting: 'server.base_url', isContainer });
    if (place.status === 'failed') return place;
    const answer = await policy.models(url);
    if (answer.status >= 500) {
      return failed(`${url}: ${describeAnswer(answer)}`, 'it is still starting, or sick: look at its log');
    }
    return place.status === 'ok' ? ok(`${url} answers`) : place;
  });
};

export const policyCheck: Check = { id: 'policy', title: 'policy', needs: ['settings'], look };
