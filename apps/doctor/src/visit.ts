import { existsSync } from 'node:fs';
import {
  configuredSettings,
  configuredValues,
  loadSettings,
  Settings,
  SettingsError,
  type ConfiguredSetting,
  type Environment,
  type ReadFile,
} from '@app/config';
import { asRunning, withItsFile } from './as-running';
import { BusVisit } from './bus-visit';
import type { Options } from './options';
import { PolicyVisit } from './policy-visit';
import { readRunningStack, type RunningStack } from './running-stack';

/** Everything that the checks look at. */
export interface Visit {
  readonly options: Options;
  readonly env: Environment;
  /** Defaults where there are problems. */
  readonly settings: Settings;
  /** Paths of the settings that the file, the environment or `npm start` has set. */
  readonly configured: ReadonlySet<string>;
  /** What the file and the user's own environment say, by path. */
  readonly own: Readonly<Record<string, ConfiguredSetting>>;
  /** Settings that cannot be used, in words. */
  readonly problems: readonly string[];
  /** The stack that `npm start` has started here; null: none runs, or it runs in another way. */
  readonly running: RunningStack | null;
  /** Whether the doctor runs inside a container. */
  readonly isContainer: boolean;
  readonly gatewayUrl: string;
  readonly doorUrl: string;
  readonly bus: BusVisit;
  readonly policy: PolicyVisit;
}

/** An address that is listened on, as a client on this machine writes it. */
const urlOf = ({ host, port }: { readonly host: string; readonly port: number }): string => {
  const reached = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
};

const read = (env: Environment, readFile?: ReadFile): Pick<Visit, 'settings' | 'configured' | 'problems'> => {
  try {
    return { settings: loadSettings(env, readFile), configured: configuredSettings(env, readFile), problems: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { settings: new Settings(), configured: new Set(), problems: error.problems };
  }
};

/** Reads settings and notes; opens nothing. */
export const beginVisit = (options: Options, given: Environment, readFile?: ReadFile): Visit => {
  const running = readRunningStack(options.stateDir);
  const own = withItsFile(given, running);
  const env = asRunning(own, running, readFile);
  const { settings, configured, problems } = read(env, readFile);
  return {
    options,
    env,
    settings,
    configured,
    own: configuredValues(settings, own, readFile),
    problems,
    running,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    gatewayUrl: options.gateway ?? running?.gateway ?? urlOf(settings.gateway),
    doorUrl: options.door ?? running?.door ?? urlOf(settings.door),
    bus: new BusVisit(settings),
    policy: new PolicyVisit(settings),
  };
};

/** Closes what the checks have opened. */
export const endVisit = async (visit: Visit): Promise<void> => {
  await Promise.all([visit.bus.close(), visit.policy.close()]);
};
