import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isLoopback, type Environment } from '@app/config';
import { scopeOf, type Caller } from '@app/contracts';
import type { Forgotten } from './delete/user-sessions';
import { Problem } from './problem';

export const HELP = `What an operator does with the streams and buckets that NATS holds for this stack. Settings come from openclaw-rl.toml and the
environment, as everywhere: nats.url says where NATS is. One server or a cluster, it is the same.

npm run bus -- inspect                     says what is stored, of which versions, and how far each service is
  --json                                   as JSON
npm run bus -- backup --to FOLDER          writes everything into a new folder, while the services run
npm run bus -- restore --from FOLDER       puts a backup back: stop every service first, leave NATS running
  --replace                                deletes what the server holds already
npm run bus -- delete --key-env VARIABLE   removes everything that is kept of a user, while the services run; where nothing is kept it says
                                           so, and ends with 0 as well: to delete again what is deleted is no failure
  --address ADDRESS                        in the place of a key, where the gateway asks for none
  --session NAME                           one of the user's sessions instead of all

  --state PATH                             folder of npm start (default .openclaw-rl)
  --help                                   this text

A backup holds the conversations that the streams hold (turns and verdicts 72 hours, samples 7 days): keep it as you keep them, and
not for longer. Its files are readable by their owner alone. A restore brings back what was deleted since: delete it again.`;

export type Command =
  | { readonly name: 'inspect'; readonly asJson: boolean }
  | { readonly name: 'backup'; readonly folder: string }
  | { readonly name: 'restore'; readonly folder: string; readonly replace: boolean }
  | { readonly name: 'delete'; readonly user: Forgotten; readonly whose: string };

const COMMANDS = ['inspect', 'backup', 'restore', 'delete'];

/** null: the help is wanted. `env`: where a user's key is; a key on a command line would be in its history. @throws Problem */
export const readCommand = (args: readonly string[], env: Environment): Command | null => {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new Problem(`say what to do: ${COMMANDS.join(', ')}\n\n${HELP}`);
  switch (name) {
    case 'inspect':
      return { name, asJson: values.json };
    case 'backup':
      return { name, folder: folderOf('to', values.to) };
    case 'restore':
      return { name, folder: folderOf('from', values.from), replace: values.replace };
    case 'delete':
      return {
        name,
        user: { scope: scopeOf(callerOf(values, env)), session: values.session ?? null },
        whose: whoseOf(values),
      };
    default:
      throw new Problem(`${name} is no command; allowed: ${COMMANDS.join(', ')}\n\n${HELP}`);
  }
};

interface Named {
  readonly 'key-env'?: string;
  readonly address?: string;
  readonly session?: string;
}

/** Whom a deletion means, in words that show no key. */
const whoseOf = ({ 'key-env': variable, address, session }: Named): string => {
  const user = address === undefined ? `the API key in ${variable ?? ''}` : `the address ${address}`;
  return session === undefined ? user : `session ${JSON.stringify(session)} of ${user}`;
};

const callerOf = ({ 'key-env': variable, address }: Named, env: Environment): Caller => {
  if ((variable === undefined) === (address === undefined)) {
    throw new Problem("say whose data: --key-env VARIABLE, which holds the user's API key, or --address ADDRESS");
  }
  // As the gateway has it: one machine is one caller, whichever of its loopback addresses it comes from.
  if (address !== undefined) return { address: isLoopback(address) ? 'loopback' : address };
  const apiKey = env[variable ?? ''] ?? '';
  if (apiKey === '') throw new Problem(`${variable ?? ''} is not set: put the user's API key into it`);
  return { apiKey };
};

const folderOf = (option: string, path: string | undefined): string => {
  if (path === undefined || path === '') throw new Problem(`--${option} FOLDER is missing`);
  return resolve(path);
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: 'string' },
        from: { type: 'string' },
        'key-env': { type: 'string' },
        address: { type: 'string' },
        session: { type: 'string' },
        replace: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error instanceof Error ? error.message : 'unknown options'}\n\n${HELP}`);
  }
};
