import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const HELP = `Looks at everything that a user's installation needs, and says of each thing what was seen and what to do.
Works whether the stack runs or not; exit code 1 if something has failed.

npm run doctor -- [options]
  --json           for programs: one JSON object, and nothing else on standard output
  --running        the stack has to run: that it does not is a failure
  --state PATH     folder of npm start (default .openclaw-rl)
  --gateway URL    where the gateway is, if not where the settings say
  --door URL       where the trainer's door is, if not where the settings say
  --help           this text

Settings come from openclaw-rl.toml and the environment, as everywhere. The doctor asks policy and judge a few questions of its
own, and the running gateway for one turn, which is removed again and never trained on.`;

/** Thrown for options that cannot be used. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

export interface Options {
  readonly json: boolean;
  readonly mustRun: boolean;
  readonly stateDir: string;
  readonly gateway: string | null;
  readonly door: string | null;
}

/** null: the help is wanted. @throws OptionsError */
export const readOptions = (args: readonly string[]): Options | null => {
  const values = parse(args);
  if (values.help) return null;
  for (const name of ['gateway', 'door'] as const) {
    const url = values[name];
    if (url !== undefined && !/^https?:\/\/./.test(url)) {
      throw new OptionsError(`--${name} is ${JSON.stringify(url)}; allowed: a URL, http://host:port`);
    }
  }
  return {
    json: values.json,
    mustRun: values.running,
    stateDir: resolve(values.state),
    gateway: values.gateway ?? null,
    door: values.door ?? null,
  };
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean', default: false },
        running: { type: 'boolean', default: false },
        state: { type: 'string', default: '.openclaw-rl' },
        gateway: { type: 'string' },
        door: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionsError(`${error instanceof Error ? error.message : 'unknown options'}\n\n${HELP}`);
  }
};
