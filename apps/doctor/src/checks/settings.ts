import { existsSync, readdirSync } from 'node:fs';
import { CONFIG_PATH_VARIABLE } from '@app/config';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import type { Visit } from '../visit';

const USUAL = 'openclaw-rl.toml';

/** Files that somebody may have meant to be the settings file: `openclaw_rl.toml`, `openclaw-rl.toml.txt`. */
const misnamed = (names: readonly string[]): string[] => {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return names.filter((name) => name !== USUAL && /^openclawrl?toml(txt)?$/.test(plain(name)));
};

const look = ({ env, problems }: Visit): Finding => {
  const path = env[CONFIG_PATH_VARIABLE] ?? USUAL;
  if (problems.length > 0) {
    return failed(
      problems.join('\n'),
      `mend the lines above in ${path} or in the environment; npm run settings lists every setting`,
    );
  }
  if (existsSync(path)) return ok(`${path} and the environment can be used`);
  const [other] = misnamed(readdirSync('.'));
  if (other !== undefined) return warning(`there is no ${USUAL}, and ${other} is not read`, `call it ${USUAL}`);
  return ok(`no ${USUAL} here: defaults and the environment`);
};

export const settingsCheck: Check = { id: 'settings', title: 'settings', needs: [], look };
