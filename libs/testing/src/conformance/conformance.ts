import { CHAT_CHECKS } from './chat-checks';
import { asObject } from '../engine-double/json';
import { CheckSkippedError, ConformanceClient, type ConformanceTarget } from './client';
import { ENGINE_CHECKS } from './engine-checks';

export type { ConformanceTarget } from './client';

export interface CheckResult {
  name: string;
  outcome: 'pass' | 'fail' | 'skip';
  /** Why it failed or was skipped; '' for a pass. */
  why: string;
}

/** The message of an error, and of what caused it: fetch says why only there. By shape, since Jest has its own `Error`. */
function reasonOf(error: unknown): string {
  const { message, cause } = asObject(error);
  const reasons = [message, asObject(cause).message].filter((text) => typeof text === 'string' && text !== '');
  return reasons.join(': ') || String(error);
}

async function runCheck(name: string, check: () => Promise<void>): Promise<CheckResult> {
  try {
    await check();
    return { name, outcome: 'pass', why: '' };
  } catch (error) {
    return { name, outcome: error instanceof CheckSkippedError ? 'skip' : 'fail', why: reasonOf(error) };
  }
}

/** Asks an engine all that the product relies on, one check after the other. Never throws: an unreachable engine fails. */
export async function runConformance(target: ConformanceTarget): Promise<CheckResult[]> {
  const client = new ConformanceClient(target);
  const results: CheckResult[] = [];
  for (const [name, check] of [...ENGINE_CHECKS, ...CHAT_CHECKS]) {
    results.push(await runCheck(name, () => check(client)));
  }
  return results;
}

/** A table with one line per check, and a sum. */
export function formatReport(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  const lines = results.map(({ name, outcome, why }) => `${outcome}  ${name.padEnd(width)}  ${why}`.trimEnd());
  const count = (outcome: string): number => results.filter((result) => result.outcome === outcome).length;
  const sum = `${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`;
  return [...lines, count('skip') === 0 ? sum : `${sum}: what was skipped has not been checked`].join('\n');
}
