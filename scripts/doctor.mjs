// npm run doctor: what is wrong, and what to do about it.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled, oldNode } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { builtApp, projectEnv, projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await runScript(async () => {
  const args = process.argv.slice(2);
  // Standard output belongs to the report.
  const isJson = args.includes('--json');
  const old = oldNode();
  if (old !== null) return tellOldNode(old, isJson);
  if (isJson) console.log = console.error;
  await ensureInstalled();
  await ensureBuilt();
  process.exitCode = await run(projectNode(), [builtApp('doctor', 'main'), ...args], { env: projectEnv() });
});

/** The report where the doctor itself cannot run: its first line, as it would have written it. */
function tellOldNode({ seen, remedy }, isJson) {
  const node = { id: 'node', title: 'Node', status: 'failed', seen, remedy };
  const report = { ok: false, counts: { ok: 0, unchecked: 0, warning: 0, failed: 1 }, checks: [node] };
  const lines = `${'FAILED'.padEnd(9)}${'Node'.padEnd(26)}${seen}\n         -> ${remedy}`;
  console.log(isJson ? JSON.stringify(report, null, 2) : lines);
  process.exitCode = 1;
}
