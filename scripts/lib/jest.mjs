import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandFile, projectEnv, projectNode } from './project.mjs';
import { runWithin } from './run.mjs';

/** The longest that one project may take, several times what it needs: what hangs must not hang those who wait for the count. */
const LONGEST_MS = 20 * 60_000;

/**
 * Runs one of Jest's projects and returns how many tests passed and failed; a file that cannot run counts as failed, and so
 * does a run that has not ended within `timeoutMs`.
 */
export async function runJest(project, { env = {}, flags = [], timeoutMs = LONGEST_MS } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'jest-'));
  const outputFile = join(folder, 'result.json');
  try {
    const jest = commandFile('jest', 'bin/jest.js');
    const args = [jest, '--selectProjects', project, '--json', `--outputFile=${outputFile}`, '--forceExit', ...flags];
    const code = await runWithin(timeoutMs, projectNode(), args, projectEnv(env));
    if (code === null) console.error(`${project} tests have not ended within ${timeoutMs / 60_000} minutes: killed`);
    return countTests(outputFile, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countTests(outputFile, code) {
  const result = readResultOrNull(outputFile);
  const passed = result?.numPassedTests ?? 0;
  const failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0) + (code === null ? 1 : 0);
  // Jest may also fail without a failed test, when it finds none for instance.
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

function readResultOrNull(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
