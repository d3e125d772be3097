import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem } from './problem';

export const HELP = `What an operator does with the streams and buckets that NATS holds for this stack. Settings come from openclaw-rl.toml and the
environment, as everywhere: nats.url says where NATS is. One server or a cluster, it is the same.

npm run bus -- backup --to FOLDER          writes everything into a new folder, while the services run
npm run bus -- restore --from FOLDER       puts a backup back: stop every service first, leave NATS running
  --replace                                deletes what the server holds already

  --state PATH                             folder of npm start (default .openclaw-rl)
  --help                                   this text

A backup holds the conversations that the streams hold (turns and verdicts 72 hours, samples 7 days): keep it as you keep them, and
not for longer. Its files are readable by their owner alone. A restore brings back what was deleted since: delete it again.`;

export type Command =
  | { readonly name: 'backup'; readonly folder: string }
  | { readonly name: 'restore'; readonly folder: string; readonly replace: boolean };

/** null: the help is wanted. @throws Problem */
export const readCommand = (args: readonly string[]): Command | null => {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new Problem(`say what to do: backup or restore\n\n${HELP}`);
  switch (name) {
    case 'backup':
      return { name, folder: folderOf('to', values.to) };
    case 'restore':
      return { name, folder: folderOf('from', values.from), replace: values.replace };
    default:
      throw new Problem(`${name} is no command; allowed: backup, restore\n\n${HELP}`);
  }
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
        replace: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error instanceof Error ? error.message : 'unknown options'}\n\n${HELP}`);
  }
};
