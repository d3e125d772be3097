/** What is printed once everything is up: where it is, how to try it, what to paste, who serves, what `streams` keep. */
export function summary({ settings, streams, usesDouble, gatewayUrl, doorUrl, recordsDir, isPolicyUp, isJudgeUp }) {
  const { server, gateway, records } = settings;
  const key = gateway.apiKeys.length > 0 ? 'YOUR KEY' : 'sk-any';
  const header = gateway.apiKeys.length > 0 ? ` -H 'Authorization: Bearer ${key}'` : '';
  const body = JSON.stringify({ model: server.servedModelName, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    '',
    `Gateway   ${gatewayUrl}/v1`,
    `Trainer   ${doorUrl}`,
    `Policy    ${usesDouble ? ENGINE_DOUBLE : `${server.policyModel} at ${server.baseUrl}`}${unless(isPolicyUp)}`,
    `Judge     ${judgeLine(server, usesDouble)}${unless(isJudgeUp)}`,
    `Method    ${METHODS[settings.rl.algorithm]}${settings.rl.evalMode ? '; votes are for evaluation only' : ''}`,
    `Records   ${records.enabled ? `on: conversations are written to ${recordsDir}` : `off: ${keptInStore(streams)}`}`,
    '',
    'Try it:',
    `  curl ${gatewayUrl}/v1/chat/completions -H 'Content-Type: application/json'${header} -d '${body}'`,
    '',
    'OpenClaw (~/.openclaw/openclaw.json):',
    showJson(openclawConfig({ baseUrl: `${gatewayUrl}/v1`, key, model: server.servedModelName })),
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

const ENGINE_DOUBLE =
  'ENGINE DOUBLE: no server.base_url is configured, so a stand-in with scripted answers serves, not a language model';

const METHODS = {
  binary: 'binary: rewards by votes',
  opd: 'opd: hints, scored by the teacher',
  hybrid: 'hybrid: rewards by votes, and hints scored by the teacher',
};

const HOUR_S = 3600;

/** Where conversations stand without records, and how long. */
function keptInStore({ RL_TURNS: turns, RL_SAMPLES: samples }) {
  const hours = ({ maxAgeSeconds }) => `${maxAgeSeconds / HOUR_S} hours`;
  return `conversations stand in the NATS store only, for ${hours(turns)}; token ids and answers of samples for ${hours(samples)}`;
}

function unless(isUp) {
  return isUp ? '' : ', not reachable yet';
}

function judgeLine(server, usesDouble) {
  if (usesDouble && server.judgeBaseUrl === null) return 'engine double (scripted verdicts)';
  return `${server.judgeModel} at ${server.judgeBaseUrl}`;
}

/** JSON for people: what holds no other list or object stands on one line. */
function showJson(value) {
  return JSON.stringify(value, null, 2).replace(/[[{]\s[^[\]{}]*[\]}]/g, (inner) => inner.replace(/\s+/g, ' '));
}

/** The provider block of a stock OpenClaw. */
export function openclawConfig({ baseUrl, key, model }) {
  return {
    agents: { defaults: { model: { primary: `openclaw-rl/${model}` } } },
    models: {
      mode: 'merge',
      providers: {
        'openclaw-rl': {
          baseUrl,
          apiKey: key,
          api: 'openai-completions',
          models: [
            {
              id: model,
              name: 'OpenClaw-RL',
              reasoning: false,
              input: ['text'],
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              contextWindow: 131072,
              maxTokens: 4096,
            },
          ],
        },
      },
    },
  };
}
