import {
  CONFIG_PATH_VARIABLE,
  configuredSettings,
  describeSettings,
  type Environment,
  type ReadFile,
} from '@app/config';
import type { RunningStack } from './running-stack';

/** Who serves is one thing: whoever configures one of these means none of the running stack's engines. */
const WHO_SERVES = ['server.base_url', 'pools.policy_engines'];
const WHO_JUDGES = ['server.judge_base_url', 'pools.prm_engines'];

const pathOf = (variable: string): string | null =>
  describeSettings().find(({ env }) => env.includes(variable))?.path ?? null;

/** The user's own environment, with the settings file that the running stack has read, unless another one is named. */
export const withItsFile = (given: Environment, running: RunningStack | null): Environment => {
  const path = running?.environment[CONFIG_PATH_VARIABLE];
  return path === undefined ? given : { [CONFIG_PATH_VARIABLE]: path, ...given };
};

/**
 * The environment that the doctor goes by: the user's own, and what it leaves open as the running stack has it. So what is
 * configured now is what is looked at, and a stack that was started in another shell is found as it is.
 */
export const asRunning = (own: Environment, running: RunningStack | null, readFile?: ReadFile): Environment => {
  if (running === null) return own;
  const configured = configuredSettings(own, readFile);
  const isOpen = ([variable]: readonly [string, string]): boolean => {
    const path = pathOf(variable);
    if (path === null || configured.has(path)) return false;
    if (/^server\.judge_/.test(path) && WHO_JUDGES.some((each) => configured.has(each))) return false;
    return !/^(server|pools)\./.test(path) || !WHO_SERVES.some((each) => configured.has(each));
  };
  const left = Object.entries({ ...running.environment, ...running.settings }).filter(isOpen);
  return { ...Object.fromEntries(left), ...own };
};
