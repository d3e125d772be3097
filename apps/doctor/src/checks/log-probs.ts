import type { Settings } from '@app/config';
import { probeTempering } from '@app/engines';
import type { Check } from '../check';
import { ok, warning, type Finding } from '../finding';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';

/** Temperature of the teacher's log-probs, the only one at which engines score given tokens. */
const OF_TEACHER = 1;

/** What follows from when an engine takes its log-probs; null: it cannot be found out. */
export const judgeTempering = (tempered: boolean | null, { rl, server, opd }: Settings): Finding => {
  const temperature = server.temperature ?? opd.studentTemperature;
  const asked = temperature === null ? 'that a request or the model names' : String(temperature);
  if (tempered === false) return ok('log-probs are taken before the temperature');
  const seen =
    tempered === true
      ? `log-probs are taken after the temperature (${asked})`
      : 'whether log-probs are taken before or after the temperature is not known';
  if (!rl.asksTeacher || temperature === OF_TEACHER) return ok(seen);
  return warning(
    `${seen}, the teacher's at ${OF_TEACHER}: turns at another temperature get no hints (temperature_mismatch)`,
    'start SGLang with SGLANG_RETURN_ORIGINAL_LOGPROB=1, or set server.temperature = 1',
  );
};

const look = (visit: Visit): Promise<Finding> =>
  eachPolicy(visit, async (url) =>
    judgeTempering(await probeTempering(visit.policy.client(url), visit.settings.server.policyModel), visit.settings),
  );

export const logProbsCheck: Check = {
  id: 'log-probs',
  title: 'log-probs and temperature',
  needs: ['policy-chat'],
  look,
};
