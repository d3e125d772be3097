import { describeSettings, Settings, valueOf, type ConfiguredSetting } from '@app/config';
import type { Check } from '../check';
import { ok, unchecked, warning, type Finding } from '../finding';
import type { Visit } from '../visit';

type Configured = Readonly<Record<string, ConfiguredSetting>>;

const DEFAULTS = new Settings();

const shown = (value: unknown): string => (value === null || value === undefined ? 'none' : JSON.stringify(value));

/** By a file, and not by a variable of a shell that the doctor may not be in. */
const isOfFile = ({ from }: ConfiguredSetting): boolean => !describeSettings().some(({ env }) => env.includes(from));

/**
 * Where a running stack has other settings than those that are configured now. What it has by a variable alone, and nobody
 * configures here, is no difference: that is another shell.
 */
export const judgeRestart = (now: Configured, then: Configured): Finding => {
  const paths = new Set([
    ...Object.keys(now),
    ...Object.entries(then).flatMap(([path, each]) => (isOfFile(each) ? [path] : [])),
  ]);
  const differences = [...paths].flatMap((path) => {
    const usual = valueOf(DEFAULTS, path);
    const [wanted, running] = [now[path]?.value ?? usual, then[path]?.value ?? usual].map(shown);
    if (wanted === running) return [];
    const by = now[path] === undefined ? '' : ` by ${now[path].from}`;
    return [`${path} is ${wanted ?? ''}${by}, and the running stack has ${running ?? ''}`];
  });
  if (differences.length === 0) return ok('the running stack has these settings');
  return warning(
    differences.join('\n'),
    'stop npm start and start it again: it reads settings when it starts; the lines below look at what is configured now',
  );
};

const look = ({ running, own }: Visit): Finding =>
  running === null ? unchecked('npm start runs no stack here') : judgeRestart(own, running.configured);

export const restartCheck: Check = { id: 'restart', title: 'settings in use', needs: ['settings'], look };
