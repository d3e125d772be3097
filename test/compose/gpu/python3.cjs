#!/usr/local/bin/node
// Does for SGLang and slime what a test of the compose file can look at: serves, is asked for its health, converts, trains.
const { mkdirSync } = require('node:fs');

const args = process.argv.slice(2);
const said = args.join(' ');
const option = (name) => args.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);

const serve = () => {
  process.env.OPENCLAW_RL_POCKET_HOST = option('host');
  process.env.OPENCLAW_RL_POCKET_PORT = option('port');
  process.env.OPENCLAW_RL_POCKET_JUDGE_MODEL = 'judge';
  process.env.OPENCLAW_RL_POCKET_SERVED_FILE = '/tmp/served.json';
  process.env.OPENCLAW_RL_SERVER_BASE_URL = `http://127.0.0.1:${option('port')}`;
  process.env.OPENCLAW_RL_SERVER_POLICY_MODEL = option('served-model-name') === 'judge' ? 'teacher' : 'policy';
  process.chdir('/app');
  require('/app/dist/apps/pocket-engine/src/main.js');
};

const askHealth = async () => {
  const [, url] = /urlopen\('([^']+)'/.exec(said);
  process.exitCode = (await fetch(url)).ok ? 0 : 1;
};

/** A trainer that only looks whether the door lets it in. */
const train = async () => {
  const { OPENCLAW_RL_DOOR_URL: door, OPENCLAW_RL_DOOR_KEY: key } = process.env;
  const answer = await fetch(`${door}/v1/policy`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`the door answered ${answer.status}`);
  console.log(`slime trains: ${said}`);
  setInterval(() => undefined, 60_000);
};

if (said.includes('sglang.launch_server')) serve();
else if (args[0] === '-c') void askHealth();
else if (said.includes('openclaw_rl_slime.train')) void train();
else mkdirSync(args[args.indexOf('--save') + 1], { recursive: true });
