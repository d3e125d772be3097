import type { Check } from '../check';
import { OpenClawConfigError, providersOf, readOpenClaw, type OpenClaw } from '../client/openclaw-config';
import { failed, ok, unchecked, warning, worstOf, type Finding } from '../finding';
import type { Visit } from '../visit';

/** What of earlier logins stands between OpenClaw and the key that the gateway wants. */
export const judgeLogins = (openClaw: OpenClaw, gatewayUrl: string): Finding => {
  const providers = providersOf(openClaw, gatewayUrl);
  const ids = providers.map(({ id }) => id);
  const findings: Finding[] = [];
  for (const { id, fields } of providers) {
    if (fields.auth === undefined || fields.auth === 'api-key') continue;
    findings.push(
      failed(
        `models.providers.${id}.auth is ${JSON.stringify(fields.auth)}: a login is sent to the gateway, not apiKey`,
        `take auth out of models.providers.${id} in ${openClaw.path}`,
      ),
    );
  }
  for (const { id, provider, mode } of openClaw.profiles) {
    if (!ids.includes(provider) || mode === 'api_key') continue;
    findings.push(
      failed(
        `auth.profiles has ${id}, a login (${mode}) for ${provider}: OpenClaw sends it to the gateway in the place of apiKey`,
        `take ${id} out of auth.profiles and auth.order in ${openClaw.path}, or call the gateway's provider otherwise`,
      ),
    );
  }
  if (openClaw.retired.length > 0) {
    findings.push(
      warning(
        `${openClaw.retired.join(', ')} is left over from an older OpenClaw`,
        'run openclaw doctor --fix: providers that it names get no key until then',
      ),
    );
  }
  return findings.length === 0 ? ok('no login stands in the way of apiKey') : worstOf(findings);
};

const look = ({ env, gatewayUrl }: Visit): Finding => {
  try {
    const openClaw = readOpenClaw(env);
    return openClaw === null ? ok('no OpenClaw is configured on this machine') : judgeLogins(openClaw, gatewayUrl);
  } catch (error) {
    if (error instanceof OpenClawConfigError) return unchecked(error.message);
    throw error;
  }
};

export const oauthCheck: Check = { id: 'oauth', title: 'left-over logins', needs: ['settings'], look };
