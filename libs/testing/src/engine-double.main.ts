import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startEngineDouble, type EngineDouble } from './engine-double/engine-double';
import type { ScriptedAnswer } from './engine-double/options';

const USAGE =
  'engine-double [--host H] [--port N] [--model ID] [--no-sglext] [--script FILE.json] [--load-ms N] [--log]';

const LOOK_EVERY_MS = 10;

/** Writes a line for every request as it comes, with nothing of what it says. */
const logRequests = ({ requests }: EngineDouble): void => {
  let told = 0;
  setInterval(() => {
    for (const { method, path } of requests.slice(told)) process.stdout.write(`${method} ${path}\n`);
    told = requests.length;
  }, LOOK_EVERY_MS).unref();
};

/** Policy (model "double", or another id) and judge (model "judge") in one process, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      model: { type: 'string', default: 'double' },
      'no-sglext': { type: 'boolean', default: false },
      script: { type: 'string' },
      'load-ms': { type: 'string', default: '0' },
      log: { type: 'boolean', default: false },
    },
  });
  const { host, model, script } = values;
  const answers = script === undefined ? [] : (JSON.parse(readFileSync(script, 'utf8')) as ScriptedAnswer[]);
  const double = await startEngineDouble({
    host,
    model,
    port: Number(values.port),
    sglext: !values['no-sglext'],
    loadMs: Number(values['load-ms']),
  });
  double.script(...answers);
  if (values.log) logRequests(double);
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
