import { loadSettings } from '@app/config';
import { launch } from '@app/telemetry';
import { HELP, readCommand } from './options';
import { run } from './run';

const main = async (): Promise<void> => {
  const command = readCommand(process.argv.slice(2), process.env);
  const text = command === null ? HELP : await run(command, loadSettings(process.env));
  process.stdout.write(`${text}\n`);
};

launch('bus', main);
