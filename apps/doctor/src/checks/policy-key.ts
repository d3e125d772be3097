import type { Settings } from '@app/config';
import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';

/** How keys begin that a login has given, not a server's operator: Anthropic's, and signed tokens. */
const BY_LOGIN = /^(sk-ant-oat|eyJ[\w-]+\.)/;

const remedyFor = ({ apiKey, apiKeyEnv }: Settings['server']): string => {
  if (apiKey === null) return 'set server.api_key_env to the name of the variable that holds its key';
  if (BY_LOGIN.test(apiKey)) {
    return `the variable that server.api_key_env names (${apiKeyEnv ?? ''}) holds the token of a login (OAuth); put an API key of that server there`;
  }
  return `mend the key in the variable that server.api_key_env names (${apiKeyEnv ?? ''})`;
};

const look = (visit: Visit): Promise<Finding> =>
  eachPolicy(visit, async (url) => {
    const { server } = visit.settings;
    const refused = [await visit.policy.models(url), await visit.policy.chat(url)].find(
      ({ status }) => status === 401 || status === 403,
    );
    if (refused === undefined) return ok(server.apiKey === null ? 'it asks for none' : 'it is taken');
    const what = server.apiKey === null ? 'without a key' : 'with the key';
    return failed(`${new URL(url).host} answers ${refused.status} ${what}`, remedyFor(server));
  });

export const policyKeyCheck: Check = { id: 'policy-key', title: 'policy key', needs: ['policy'], look };
