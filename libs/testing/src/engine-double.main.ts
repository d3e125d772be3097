import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startEngineDouble } from './engine-double/engine-double';
import type { ScriptedAnswer } from './engine-double/options';

const USAGE = 'engine-double [--host H] [--port N] [--model ID] [--no-sglext] [--script FILE.json]';

/** Policy (model "double", or another id) and judge (model "judge") in one process, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      model: { type: 'string', default: 'double' },
      'no-sglext': { type: 'boolean', default: false },
      script: { type: 'string' },
    },
  });
  const { host, model, script } = values;
  const answers = script === undefined ? [] : (JSON.parse(readFileSync(script, 'utf8')) as ScriptedAnswer[]);
  const double = await startEngineDouble({ host, model, port: Number(values.port), sglext: !values['no-sglext'] });
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
