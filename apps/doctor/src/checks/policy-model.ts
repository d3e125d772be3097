import { isRecord } from '@app/chat';
import { nearestNameOrNull } from '@app/config';
import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import { describeAnswer } from '../network/describe-answer';
import { objectIn } from '../network/http';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';

const MOST_SHOWN = 5;

/** Ids in an answer of `GET /v1/models`; null where it is no list of models. */
export const modelIdsIn = (text: string): readonly string[] | null => {
  const data = objectIn(text)?.data;
  if (!Array.isArray(data)) return null;
  return (data as unknown[]).flatMap((each) => (isRecord(each) && typeof each.id === 'string' ? [each.id] : []));
};

const listed = (ids: readonly string[]): string =>
  ids.slice(0, MOST_SHOWN).join(', ') + (ids.length > MOST_SHOWN ? ', …' : '');

const look = (visit: Visit): Promise<Finding> =>
  eachPolicy(visit, async (url) => {
    const model = visit.settings.server.policyModel ?? '';
    const [models, chat] = [await visit.policy.models(url), await visit.policy.chat(url)];
    const ids = modelIdsIn(models.text);
    if (ids?.includes(model) === true) return ok(`${model} is listed`);
    // Engines that serve one model answer to any name.
    if (chat.status === 200) return ok(`${model} answers${ids === null ? '' : ` (listed: ${listed(ids)})`}`);
    if (ids === null) {
      return failed(
        `${url}: no list of models (${describeAnswer(models)}), and ${model} does not answer (status ${chat.status})`,
        'is server.base_url the base of an OpenAI-compatible API? with or without /v1, and no other path',
      );
    }
    const near = nearestNameOrNull(model, ids) ?? ids.find((id) => id.endsWith(`/${model}`)) ?? null;
    return failed(
      `no model ${model} at ${new URL(url).host}; it lists ${ids.length === 0 ? 'none' : listed(ids)}`,
      `set server.policy_model to one that it lists${near === null ? '' : `; did you mean ${near}?`}`,
    );
  });

export const policyModelCheck: Check = { id: 'policy-model', title: 'policy model', needs: ['policy-key'], look };
