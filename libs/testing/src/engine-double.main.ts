import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startEngineDouble } from './engine-double/engine-double';
import type { ScriptedAnswer } from './engine-double/options';

const USAGE = 'engine-double [--host H] [--port N] [--no-sglext] [--script FILE.json]';

/** Policy (model "double") and judge (model "judge") in one process, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      'no-sglext': { type: 'boolean', default: false },
      script: { type: 'string' },
    },
  });
  const { host, script } = values;
  const answers = script === undefined ? [] : (JSON.parse(readFileSync(script, 'utf8')) as ScriptedAnswer[]);
  const double = await startEngineDouble({ host, port: Number(values.port), sglext: !values['no-sglext'] });
  double.script(...answers);
  const stop = (): void => {
    void double.close();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`engine double listening on ${double.url}\n`);
}

main().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The engine double could not start: ${reason}\nUsage: ${USAGE}\n`);
  process.exitCode = 1;
});
