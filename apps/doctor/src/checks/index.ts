import type { Check } from '../check';
import { clockCheck } from './clock';
import { diskCheck } from './disk';
import { doorCheck } from './door';
import { gateCheck } from './gate';
import { gatewayCheck } from './gateway';
import { jetStreamCheck } from './jetstream';
import { judgeFormCheck } from './judge-form';
import { judgeUrlCheck } from './judge-url';
import { logProbsCheck } from './log-probs';
import { natsCheck } from './nats';
import { nodeCheck } from './node';
import { oauthCheck } from './oauth';
import { openClawCheck } from './openclaw';
import { policyChatCheck } from './policy-chat';
import { policyCheck } from './policy';
import { policyKeyCheck } from './policy-key';
import { policyModelCheck } from './policy-model';
import { policyStreamCheck } from './policy-stream';
import { poolsCheck } from './pools';
import { portsCheck } from './ports';
import { restartCheck } from './restart';
import { routeCheck } from './route';
import { settingsCheck } from './settings';
import { teacherCheck } from './teacher';
import { turnCheck } from './turn';
import { workersCheck } from './workers';

/** Everything that the doctor looks at, in this order: what a check needs stands before it. */
export const CHECKS: readonly Check[] = [
  nodeCheck,
  settingsCheck,
  restartCheck,
  poolsCheck,
  portsCheck,
  diskCheck,
  clockCheck,
  natsCheck,
  jetStreamCheck,
  policyCheck,
  policyKeyCheck,
  policyModelCheck,
  policyChatCheck,
  policyStreamCheck,
  logProbsCheck,
  routeCheck,
  judgeUrlCheck,
  judgeFormCheck,
  teacherCheck,
  openClawCheck,
  oauthCheck,
  gatewayCheck,
  doorCheck,
  gateCheck,
  workersCheck,
  turnCheck,
];
