import type { CaptureRoute } from '@app/contracts';
import { chooseRoute } from '@app/engines';
import type { Check } from '../check';
import { failed, ok, unchecked, warning, type Finding } from '../finding';
import { objectIn, ask } from '../network/http';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';

const TEXT_REMEDY =
  'turns are served and judged, and not trained on (no_token_ids): see "Which engines, which route" in the README; npm run conformance says what is missing';

interface Told {
  readonly route: string;
  readonly why: string;
}

/** The route that the running gateway has found out; null where it cannot be asked, or has not found out yet. */
const routeOfGateway = async (url: string): Promise<Told | null> => {
  const body = await ask(`${url}/readyz`).then(
    ({ text }) => objectIn(text),
    () => null,
  );
  const { route, route_reason: why } = body ?? {};
  return typeof route === 'string' && route !== 'unknown' ? { route, why: typeof why === 'string' ? why : '' } : null;
};

export const judgeRoute = ({ route, why }: Told): Finding => {
  const known = route as CaptureRoute;
  if (known === 'text') return warning(`no token ids: the route is text (${why})`, TEXT_REMEDY);
  return ok(`the route is ${route}${why === '' ? '' : ` (${why})`}`);
};

const look = async (visit: Visit): Promise<Finding> => {
  const { server } = visit.settings;
  const told = await routeOfGateway(visit.gatewayUrl);
  if (told !== null) return judgeRoute(told);
  return eachPolicy(visit, async (url) => {
    const choice = await chooseRoute(visit.policy.client(url), { model: server.policyModel, renderer: null });
    if (choice === null) return failed('it answered no chat this time', 'look at its log');
    const rendersHere =
      server.tokenizer !== null || [server.temperature, server.topP, server.topK].every((value) => value !== null);
    // Only the gateway renders prompts.
    if (choice.route === 'text' && rendersHere)
      return unchecked('whether the route is generate, the running gateway knows: npm start');
    return judgeRoute(choice);
  });
};

export const routeCheck: Check = { id: 'route', title: 'token ids and route', needs: ['policy-stream'], look };
