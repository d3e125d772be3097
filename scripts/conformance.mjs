// Does an engine speak the protocol? One line per check; exit code 1 when one fails.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE =
  'npm run conformance -- URL [--model M] [--api-key K] [--tolerance 0.05] [--admin]\n' +
  '  --admin also pauses and continues generation, which other users of the engine feel.';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    'api-key': { type: 'string' },
    tolerance: { type: 'string' },
    admin: { type: 'boolean', default: false },
  },
});
const [url] = positionals;
if (!url || !URL.canParse(url)) {
  console.error(`The URL of an engine is needed, such as http://127.0.0.1:30001\n${USAGE}`);
  process.exit(2);
}

const built = new URL('../dist/libs/testing/src/index.js', import.meta.url);
if (!existsSync(built)) {
  const nest = fileURLToPath(new URL('../node_modules/@nestjs/cli/bin/nest.js', import.meta.url));
  const cwd = new URL('..', import.meta.url);
  execFileSync(process.execPath, [nest, 'build', 'testing'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

const { runConformance, formatReport } = await import(built.href);
const results = await runConformance({
  url,
  model: values.model,
  apiKey: values['api-key'],
  admin: values.admin,
  ...(values.tolerance && { tolerance: Number(values.tolerance) }),
});
console.log(formatReport(results));
process.exitCode = results.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
