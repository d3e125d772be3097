import { parseArgs } from 'node:util';
import { report } from './evaluate/report.mjs';
import { readTasks } from './evaluate/tasks.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { chat } from './lib/chat-client.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { loadConfigLibrary } from './lib/project.mjs';

const HELP = `Asks the policy that is served your own tasks, and says how many answers pass, by policy version: run it before and after
training. The turns are side turns, which are never trained on.

npm run evaluate -- TASKS.jsonl [options]
  --runs N          answers to each task (default 10)
  --temperature T   (default: what the gateway's policy samples at)
  --help            this text

A task a line: {"prompt": "What is 3 + 4?", "check": {"contains": "7"}}; or "messages" for "prompt", and a "name". An answer
passes if all of its checks hold: equals, contains, matches, not_contains, not_matches (regular expressions).
Gateway, door and their keys are those of the settings.`;

const AT_A_TIME = 8;

await runScript(async () => {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  const tasks = readTasks(options.file);
  await ensureInstalled();
  await ensureBuilt();
  const { gateway, door } = loadConfigLibrary().loadSettings(process.env);
  const places = {
    gateway: { url: urlOf(gateway), key: gateway.apiKeys[0] },
    door: { url: urlOf(door), key: door.apiKeys[0] },
  };
  const results = await evaluate(tasks, { ...options, ...places });
  console.log(report(results));
});

function readOptions() {
  const { values, positionals } = parse();
  if (values.help) return null;
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new Problem(`one file of tasks is to be named\n\n${HELP}`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) {
    throw new Problem(`--runs is ${JSON.stringify(values.runs)}; allowed: a whole number from 1`);
  }
  const temperature = values.temperature === undefined ? undefined : Number(values.temperature);
  if (temperature !== undefined && !(temperature >= 0)) {
    throw new Problem(`--temperature is ${JSON.stringify(values.temperature)}; allowed: a number from 0`);
  }
  return { file, runs, temperature };
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        runs: { type: 'string', default: '10' },
        temperature: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}

/** An address that is listened on, as a client on this machine writes it. */
function urlOf({ host, port }) {
  const reached = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

async function evaluate(tasks, { runs, temperature, gateway, door }) {
  const results = [];
  const { signal } = new AbortController();
  // One iterator for all workers: each takes what is next. Results stand in the tasks' order, whichever is answered first.
  const waiting = Array.from({ length: runs }, () => tasks)
    .flat()
    .entries();
  const work = async () => {
    for (const [place, task] of waiting) {
      const before = await policyVersion(door);
      const answer = await chat(gateway.url, task.messages, { temperature, side: true, key: gateway.key, signal });
      const after = await policyVersion(door);
      const version = before === after ? before : `${before} to ${after}`;
      results[place] = { version, task: task.name, passed: task.passes(answer) };
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

async function policyVersion({ url, key }) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/policy`, { headers }).catch(() => null);
  if (response === null) return 'unknown';
  return response.ok ? (await response.json()).policy_version : `unknown (the door answered ${response.status})`;
}
