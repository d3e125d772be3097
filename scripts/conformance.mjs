// Does an engine speak the protocol? One line per check; exit code 1 when one fails.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/project.mjs';

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

await ensureInstalled();
await ensureBuilt();
const built = join(root, 'dist/libs/testing/src/index.js');
const { runConformance, formatReport } = await import(pathToFileURL(built).href);
const results = await runConformance({
  url,
  model: values.model,
  apiKey: values['api-key'],
  admin: values.admin,
  ...(values.tolerance && { tolerance: Number(values.tolerance) }),
});
console.log(formatReport(results));
process.exitCode = results.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
