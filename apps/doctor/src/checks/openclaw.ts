import type { Check } from '../check';
import { OpenClawConfigError, providersOf, readOpenClaw, type Provider } from '../client/openclaw-config';
import { failed, ok, unchecked, warning, worstOf, type Finding } from '../finding';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';

const PASTE = 'paste the block that npm start prints ("Connect OpenClaw" in the README)';

/** What is wrong with a provider that points to the gateway, before anybody is asked. */
export const judgeProvider = ({ id, fields }: Provider, keys: readonly string[]): Finding => {
  const { baseUrl, api, apiKey } = fields;
  const place = `models.providers.${id}`;
  if (!/\/v1\/?$/.test(String(baseUrl)))
    return failed(`${place}.baseUrl does not end in /v1: OpenClaw would get 404`, 'put /v1 behind it');
  if (api !== 'openai-completions') {
    return failed(`${place}.api is ${JSON.stringify(api ?? null)}`, 'set it to "openai-completions"');
  }
  if (keys.length > 0 && typeof apiKey === 'string' && !apiKey.startsWith('$') && !keys.includes(apiKey)) {
    return failed(`${place}.apiKey is none of gateway.api_keys: OpenClaw would get 401`, 'put one of those keys there');
  }
  return ok(`OpenClaw's provider ${id} fits the gateway`);
};

const look = async ({ env, settings, gatewayUrl, isContainer }: Visit): Promise<Finding> => {
  try {
    const openClaw = readOpenClaw(env);
    if (openClaw === null) return ok('none is configured on this machine');
    const providers = providersOf(openClaw, gatewayUrl);
    if (providers.length === 0) return warning(`no provider in ${openClaw.path} points to ${gatewayUrl}/v1`, PASTE);
    return worstOf(
      await Promise.all(
        providers.map(async (provider) => {
          const finding = judgeProvider(provider, settings.gateway.apiKeys);
          if (finding.status !== 'ok') return finding;
          const setting = `models.providers.${provider.id}.baseUrl of ${openClaw.path}`;
          const place = judgeReach(await reach(String(provider.fields.baseUrl)), {
            what: "OpenClaw's baseUrl",
            setting,
            isContainer,
          });
          // Whether the gateway runs, its own line says.
          return place.status === 'warning' || place.remedy?.startsWith('something listens') === true ? place : finding;
        }),
      ),
    );
  } catch (error) {
    if (error instanceof OpenClawConfigError) return unchecked(error.message);
    throw error;
  }
};

export const openClawCheck: Check = { id: 'openclaw', title: 'OpenClaw', needs: ['settings'], look };
