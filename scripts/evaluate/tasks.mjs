import { readFileSync } from 'node:fs';
import { Problem } from '../lib/problem.mjs';

const CHECKS = {
  equals: (answer, text) => answer.trim() === text.trim(),
  contains: (answer, text) => answer.includes(text),
  matches: (answer, pattern) => new RegExp(pattern, 'u').test(answer),
  not_contains: (answer, text) => !answer.includes(text),
  not_matches: (answer, pattern) => !new RegExp(pattern, 'u').test(answer),
};

/**
 * A task a line: `{"name"?, "prompt" or "messages", "check": {...}}`; an answer passes if every entry of `check` holds.
 * Returns `{ name, messages, passes }` each.
 */
export function readTasks(path) {
  const lines = readText(path).split('\n');
  const tasks = lines.flatMap((line, at) => (line.trim() === '' ? [] : [parseTask(line, `${path}:${at + 1}`)]));
  if (tasks.length === 0) throw new Problem(`${path} holds no task; a line is ${EXAMPLE}`);
  return tasks;
}

const EXAMPLE = '{"prompt": "What is 3 + 4?", "check": {"contains": "7"}}';

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${error.message}`);
  }
}

function parseTask(line, where) {
  const refuse = (what) => {
    throw new Problem(`${where}: ${what}; a task is ${EXAMPLE}`);
  };
  const { name, prompt, messages, check } = parseLine(line, refuse);
  if ((typeof prompt === 'string') === Array.isArray(messages)) refuse('either prompt, a text, or messages, a list');
  const checks = Object.entries(check ?? {});
  if (checks.length === 0) refuse(`check is missing; it has one or more of ${Object.keys(CHECKS).join(', ')}`);
  for (const [kind, value] of checks) {
    if (!Object.hasOwn(CHECKS, kind)) refuse(`check.${kind} is not one of ${Object.keys(CHECKS).join(', ')}`);
    if (typeof value !== 'string') refuse(`check.${kind} is ${JSON.stringify(value)}; allowed: a text`);
    if (kind.endsWith('matches')) requirePattern(value, refuse);
  }
  return {
    name: name ?? prompt ?? where,
    messages: messages ?? [{ role: 'user', content: prompt }],
    passes: (answer) => checks.every(([kind, value]) => CHECKS[kind](answer, value)),
  };
}

function parseLine(line, refuse) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return refuse('not JSON');
  }
}

function requirePattern(pattern, refuse) {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    refuse(error.message);
  }
}
