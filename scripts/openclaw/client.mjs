import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../lib/ports.mjs';
import { Problem } from '../lib/problem.mjs';
import { projectEnv, projectNode, root } from '../lib/project.mjs';
import { nodeSpec } from '../lib/services.mjs';
import { openclawConfig } from '../lib/summary.mjs';

/** A start on a machine that has other things to do, and one call of its command line. */
const START_MS = 240_000;
const CALL_MS = 180_000;
const KEPT_CHARACTERS = 2000;

/** Answers between two reminders, so that one comes while somebody looks. */
const REMIND_EVERY = 2;

/** A real OpenClaw with a home of its own and the provider block that `npm start` prints. */
export class OpenClaw {
  #entry;
  #env;
  #signal;
  #home;
  #key;

  /** Starts OpenClaw's own gateway, as people run it, and resolves when it can be talked to. */
  static async start(supervisor, { entry, home, baseUrl, sendsHeaders, hasPlugin, client, signal }) {
    const port = await freePort();
    writeConfig(home, { baseUrl, sendsHeaders, hasPlugin });
    const env = isolatedEnv(home, port);
    const args = [entry, 'gateway', 'run', '--allow-unconfigured', '--bind', 'loopback', '--port', String(port)];
    const spec = nodeSpec(`openclaw-${client.name}`, [...args, '--auth', 'token'], env);
    await supervisor.start([{ ...spec, ready: /\[gateway\]\S* \S*ready\b/, upWithinMs: START_MS }]);
    const key = `agent:main:explicit:${client.session}`;
    return new OpenClaw({ entry, env, signal, home, session: client.session, key });
  }

  /** @param session OpenClaw's id of the session, @param key its name of the place that it is in */
  constructor({ entry, env, signal, home, session, key }) {
    this.#entry = entry;
    this.#env = env;
    this.#signal = signal;
    this.#home = home;
    this.#key = key;
    this.session = session;
  }

  /** Says something in the session; resolves when the agent has done everything that it does about it. */
  say(message) {
    return this.#call(['agent', '--session-id', this.session, '--message', message, '--json']);
  }

  /** Has the conversation summarized: a call to the model that is no turn of the conversation. */
  compact() {
    return this.#call(['sessions', 'compact', this.#key, '--json']);
  }

  /** Has OpenClaw wake by itself: a call to the model that nobody has asked for. */
  wake() {
    return this.#call(['system', 'event', '--mode', 'now', '--text', 'look around']);
  }

  /** Sends words or a command as a chat window does; resolves before anything has come of it. */
  type(message) {
    return this.#request('chat.send', { sessionKey: this.#key, message, idempotencyKey: randomUUID() });
  }

  /** Begins a session in the place of this one, which ends. Resolves with the same OpenClaw, in the new one. */
  async beginAnother() {
    const parent = { parentSessionKey: this.#key, emitCommandHooks: true, succeedsParent: true };
    const { key, sessionId } = JSON.parse(await this.#request('sessions.create', parent));
    const [entry, env, signal, home] = [this.#entry, this.#env, this.#signal, this.#home];
    return new OpenClaw({ entry, env, signal, home, session: sessionId, key });
  }

  /** Texts of the replies that have gone out to chat windows so far. */
  get replies() {
    const file = witnessFile(this.#home);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line).text);
  }

  #request(name, params) {
    return this.#call(['gateway', 'call', name, '--params', JSON.stringify(params), '--json']);
  }

  /** Resolves with what it prints on standard output. */
  async #call(args) {
    const { code, output, errors } = await this.#run(args);
    if (code === 0) return output;
    const said = `${output}${errors}`.slice(-KEPT_CHARACTERS);
    throw new Problem(`openclaw ${args[0]} ended with code ${code}:\n${said}`);
  }

  #run(args) {
    return new Promise((resolve, reject) => {
      const [output, errors] = [[], []];
      const child = spawn(projectNode(), [this.#entry, ...args], {
        env: this.#env,
        stdio: ['ignore', 'pipe', 'pipe'],
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(CALL_MS)]),
      });
      child.stdout.on('data', (chunk) => output.push(chunk));
      child.stderr.on('data', (chunk) => errors.push(chunk));
      child.once('error', (error) => reject(new Problem(`openclaw ${args[0]} was not heard out: ${error.message}`)));
      child.once('close', (code) =>
        resolve({ code, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() }),
      );
    });
  }
}

function writeConfig(home, { baseUrl, sendsHeaders, hasPlugin }) {
  const config = openclawConfig({ baseUrl, key: 'sk-any', model: 'openclaw-rl' });
  config.logging = { file: join(home, 'tmp', 'openclaw.log') };
  if (sendsHeaders) {
    const [model] = config.models.providers['openclaw-rl'].models;
    model.compat = { sendSessionAffinityHeaders: true };
  }
  if (hasPlugin) config.plugins = pluginConfig(home);
  for (const folder of ['.openclaw', 'tmp']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, '.openclaw', 'openclaw.json'), JSON.stringify(config));
}

/**
 * What a user writes who has the plugin in a folder; `before_prompt_build` needs the leave to see conversations. Beside it a
 * plugin of ours that notes what goes out.
 */
function pluginConfig(home) {
  return {
    load: { paths: [join(root, 'deploy', 'openclaw-plugin'), join(root, 'scripts', 'openclaw', 'witness')] },
    entries: {
      'openclaw-rl': {
        enabled: true,
        hooks: { allowConversationAccess: true },
        config: { remindEvery: REMIND_EVERY },
      },
      'try-witness': { enabled: true, config: { file: witnessFile(home) } },
    },
  };
}

function witnessFile(home) {
  return join(home, 'replies.jsonl');
}

/** Nothing of the user's: no keys, no configuration, no home. */
function isolatedEnv(home, port) {
  return {
    PATH: projectEnv().PATH,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    NO_COLOR: '1',
    OPENCLAW_GATEWAY_PORT: String(port),
    OPENCLAW_GATEWAY_TOKEN: randomBytes(16).toString('hex'),
    OPENCLAW_NO_AUTO_UPDATE: '1',
    OPENCLAW_DISABLE_BONJOUR: '1',
    OPENCLAW_SKIP_CHANNELS: '1',
    OPENCLAW_SKIP_CANVAS_HOST: '1',
    OPENCLAW_SKIP_BROWSER_CONTROL_SERVER: '1',
  };
}
