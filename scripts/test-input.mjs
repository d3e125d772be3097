import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';
import { runJest } from './lib/jest.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm run test:input [-- --seed N] [--quick]. Bad input of every kind against a real gateway; npm test runs the quick
// part. A property that fails prints its seed and path; the same seed tries the same cases again.
await runScript(async () => {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, quick: { type: 'boolean', default: false } },
  });
  await ensureInstalled();
  const { binary } = await findNatsServer({ allowDocker: false });
  const folder = mkdtempSync(join(tmpdir(), 'input-'));
  const counts = join(folder, 'counts');
  try {
    const env = { NATS_SERVER_BIN: binary, INPUT_SEED: values.seed, INPUT_COUNTS: counts };
    if (!values.quick) env.INPUT_CASES = 'all';
    const { passed, failed } = await runJest('input', { env });
    console.log(`seed ${values.seed}, ${sumOf(counts)} cases in ${passed + failed} tests: ${failed} failed`);
    if (failed > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function sumOf(path) {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
}
