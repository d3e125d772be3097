import { runChecks } from './lib/checks.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runJest } from './lib/jest.mjs';
import { runScript } from './lib/problem.mjs';

await runScript(async () => {
  await ensureInstalled();
  const isClean = (await runChecks()) && (await runJest('unit', { flags: ['--silent'] })).failed === 0;
  if (!isClean) process.exitCode = 1;
});
