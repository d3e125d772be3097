/** What is printed once everything is up: where it is, how to try it, what to paste, who serves, what `streams` keep. */
export function summary(stack) {
  const { settings, streams, usesPocket, isTrained, gatewayUrl, doorUrl, recordsDir, isPolicyUp, isJudgeUp } = stack;
  const { server, gateway, records } = settings;
  const key = gateway.apiKeys.length > 0 ? 'YOUR KEY' : 'sk-any';
  const header = gateway.apiKeys.length > 0 ? ` -H 'Authorization: Bearer ${key}'` : '';
  const body = JSON.stringify({
    model: server.servedModelName,
    messages: [{ role: 'user', content: usesPocket ? HOMEWORK : 'Hello' }],
  });
  return [
    '',
    `Gateway   ${gatewayUrl}/v1`,
    `Trainer   ${doorUrl}`,
    ...(settings.console.enabled ? [`Console   ${gatewayUrl}/console`] : []),
    `Policy    ${usesPocket ? POCKET_MODEL : `${server.policyModel} at ${server.baseUrl}`}${unless(isPolicyUp)}`,
    `Judge     ${judgeLine(settings, usesPocket)}${unless(isJudgeUp)}`,
    `Method    ${METHODS[settings.rl.algorithm]}${settings.rl.evalMode ? '; votes are for evaluation only' : ''}`,
    ...(isTrained ? [`Learning  ${learningLine(settings)}`] : []),
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

const POCKET_MODEL =
  'POCKET MODEL: no server.base_url is configured, so a small model on this CPU serves; it knows short homework problems, and nothing else';

const HOMEWORK = 'Mia has 7 apples and finds 4 more. How many apples are there now?';

const learningLine = ({ rl }) =>
  `on: each ${rl.rolloutSteps * rl.updateInterval} answers that were praised or corrected become new weights of the pocket model`;

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

function judgeLine({ server, pocket }, usesPocket) {
  if (usesPocket && server.judgeBaseUrl === null) return `${pocket.judgeModel}: rules, not a model`;
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
