import { isLoopback } from './loopback';
import { withoutVersion } from './server-url';
import type { Settings } from './settings';

/** Settings that are fine one by one and cannot be meant together. */
export interface Contradiction {
  /** Paths of the settings. */
  readonly between: readonly string[];
  /** What is wrong and what to do; null if nothing is. */
  readonly found: (settings: Settings) => string | null;
}

const hasPolicy = ({ server, pools }: Settings): boolean => server.baseUrl !== null || pools.policyEngines.length > 0;

const hasJudge = ({ server, pools }: Settings): boolean => server.judgeBaseUrl !== null || pools.prmEngines.length > 0;

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** An address, in whichever of two settings it stands, and no model to ask for there. */
const addressWithoutModel = (
  address: string,
  model: string,
  isHalf: (settings: Settings) => boolean,
): Contradiction => ({
  between: [model, address],
  found: (settings) => (isHalf(settings) ? `${lastOf(address)} needs ${lastOf(model)}, the model to ask for` : null),
});

const isAmong = (url: string, engines: readonly string[]): boolean =>
  engines.map(withoutVersion).includes(withoutVersion(url));

function policyHasTwoAddresses({ server, pools }: Settings): string | null {
  if (pools.policyRouter) {
    return server.baseUrl === null ? 'policy_router needs base_url, the URL of the router' : null;
  }
  if (server.baseUrl === null || pools.policyEngines.length === 0 || isAmong(server.baseUrl, pools.policyEngines)) {
    return null;
  }
  return 'base_url is none of policy_engines; leave it out, or set policy_router = true if it is a router in front of them';
}

function judgeHasTwoAddresses({ server, pools }: Settings): string | null {
  if (server.judgeBaseUrl === null || pools.prmEngines.length === 0) return null;
  if (isAmong(server.judgeBaseUrl, pools.prmEngines)) return null;
  return 'judge_base_url is none of prm_engines; leave one of the two out';
}

function gatewayIsOpenByAccident({ gateway }: Settings): string | null {
  if (gateway.apiKeys.length > 0 && gateway.allowUnauthenticated) {
    return 'with keys configured every request needs one; take out either the keys or allow_unauthenticated';
  }
  if (gateway.apiKeys.length > 0 || gateway.allowUnauthenticated || isLoopback(gateway.host)) return null;
  return `host ${JSON.stringify(gateway.host)} can be reached by others, and there is no key; configure api_keys, or set allow_unauthenticated = true`;
}

/** As of a list that is written in JSON or TOML where it must not be: a variable, a file of keys. */
function hasKeyInBrackets({ apiKeys }: { readonly apiKeys: readonly string[] }): string | null {
  if (!apiKeys.some((key) => /^["'[]/.test(key))) return null;
  return 'a key begins with a bracket or a quote; write keys as they are, in a variable with commas between them: key-1,key-2';
}

/** Log-probs are compared at one temperature or not at all, and no engine scores given tokens at another than 1. */
function teacherIsTempered({ opd }: Settings): string | null {
  const { teacherTemperature: teacher, studentTemperature: student } = opd;
  if (teacher !== 1) return `the teacher's log-probs cannot be taken at ${teacher}; leave teacher_temperature at 1`;
  if (student === null || student === teacher) return null;
  return `the policy's log-probs would be those of ${student} and the teacher's of ${teacher}, and nothing could be compared; serve the policy at 1, or with log-probs taken before the temperature`;
}

/** Checked on the settings as configured, with all keys of lists and files in place. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  addressWithoutModel(
    'server.base_url',
    'server.policy_model',
    ({ server }) => server.baseUrl !== null && server.policyModel === null,
  ),
  addressWithoutModel(
    'pools.policy_engines',
    'server.policy_model',
    ({ server, pools }) => server.baseUrl === null && pools.policyEngines.length > 0 && server.policyModel === null,
  ),
  {
    between: ['server.policy_model', 'server.base_url'],
    found: (settings) =>
      !hasPolicy(settings) && settings.server.policyModel !== null
        ? 'policy_model needs base_url, the server that has it'
        : null,
  },
  {
    between: ['server.base_url', 'pools.policy_engines', 'pools.policy_router'],
    found: policyHasTwoAddresses,
  },
  {
    between: ['server.judge_base_url', 'pools.prm_engines'],
    found: judgeHasTwoAddresses,
  },
  {
    between: ['server.api_key_env', 'server.base_url'],
    found: (settings) =>
      !hasPolicy(settings) && settings.server.apiKeyEnv !== null
        ? 'a key needs base_url, the server that it is for'
        : null,
  },
  {
    between: ['server.judge_model', 'server.judge_base_url', 'server.base_url'],
    found: (settings) =>
      settings.server.judgeModel !== null && !hasJudge(settings) && !hasPolicy(settings)
        ? 'judge_model needs judge_base_url or base_url'
        : null,
  },
  addressWithoutModel(
    'server.judge_base_url',
    'server.judge_model',
    ({ server }) => server.judgeBaseUrl !== null && server.judgeModel === null,
  ),
  addressWithoutModel(
    'pools.prm_engines',
    'server.judge_model',
    ({ server, pools }) => server.judgeBaseUrl === null && pools.prmEngines.length > 0 && server.judgeModel === null,
  ),
  {
    between: ['server.judge_api_key_env', 'server.judge_base_url', 'server.base_url'],
    found: (settings) =>
      settings.server.judgeApiKeyEnv !== null && !hasJudge(settings) && !hasPolicy(settings)
        ? 'a key needs judge_base_url or base_url, the server that it is for'
        : null,
  },
  {
    between: ['gateway.host', 'gateway.api_keys', 'gateway.allow_unauthenticated'],
    found: gatewayIsOpenByAccident,
  },
  {
    between: ['door.host', 'door.api_keys'],
    found: ({ door }) =>
      door.apiKeys.length > 0 || isLoopback(door.host)
        ? null
        : `host ${JSON.stringify(door.host)} can be reached by others, and there is no key; configure api_keys`,
  },
  { between: ['opd.teacher_temperature', 'opd.student_temperature'], found: teacherIsTempered },
  {
    between: ['reward.integrated', 'rl.algorithm'],
    found: ({ reward, rl }) =>
      reward.integrated && rl.algorithm === 'opd'
        ? 'opd trains on hints alone and has no rewards; set algorithm to binary or hybrid'
        : null,
  },
  {
    between: ['reward.integrated', 'rl.eval_mode'],
    found: ({ reward, rl }) =>
      reward.integrated && rl.evalMode ? 'in eval mode votes make no rewards; take out one of the two' : null,
  },
  {
    between: ['reward.integrated', 'rl.binary_reward_weight'],
    found: ({ reward, rl }) =>
      reward.integrated && rl.binaryRewardWeight === 0
        ? 'rewards of weight 0 train nothing; raise binary_reward_weight, or take out integrated'
        : null,
  },
  {
    between: ['reward.integrated', 'reward.outcome_weight', 'reward.process_weight'],
    found: ({ reward }) =>
      reward.integrated && reward.outcomeWeight === 0 && reward.processWeight === 0
        ? 'with both weights 0 every reward is 0; raise one of them'
        : null,
  },
  { between: ['gateway.api_keys'], found: ({ gateway }) => hasKeyInBrackets(gateway) },
  { between: ['door.api_keys'], found: ({ door }) => hasKeyInBrackets(door) },
  {
    between: ['gateway.api_keys', 'door.api_keys'],
    found: ({ gateway, door }) =>
      door.apiKeys.some((key) => gateway.apiKeys.includes(key))
        ? "the same key is in both; a chat client's key must not open the trainer's door"
        : null,
  },
  { between: ['console.viewer_keys'], found: ({ console }) => hasKeyInBrackets({ apiKeys: console.viewerKeys }) },
  { between: ['console.operator_keys'], found: ({ console }) => hasKeyInBrackets({ apiKeys: console.operatorKeys }) },
  {
    between: ['console.viewer_keys', 'console.operator_keys'],
    found: ({ console }) =>
      console.viewerKeys.some((key) => console.operatorKeys.includes(key))
        ? 'the same key is in both; a key has one role'
        : null,
  },
  {
    between: ['gateway.port', 'door.port'],
    found: ({ gateway, door }) =>
      gateway.port !== 0 && gateway.port === door.port ? `both are ${gateway.port}; give them different ports` : null,
  },
];
