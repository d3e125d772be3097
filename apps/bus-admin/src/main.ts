import { loadSettings } from '@app/config';
import { launch } from '@app/telemetry';
import { HELP, readCommand } from './options';
import { Problem } from './problem';
import { run } from './run';

const main = async (): Promise<void> => {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command === null) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const { text, problem } = await run(command, loadSettings(process.env));
  process.stdout.write(`${text}\n`);
  if (problem !== null) throw new Problem(problem);
};

launch('bus', main);
