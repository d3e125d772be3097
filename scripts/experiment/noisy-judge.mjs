import { loadExperimentLibrary } from '../lib/project.mjs';
import { startProxy } from './proxy.mjs';

/**
 * An engine whose judge misreads so many turns: all votes of such a turn are given the other sign. Hints are as they were, as
 * in the prototype that the hyper-parameters come from; so is everything else that an engine is asked.
 */
export function startNoisyJudge(engineUrl, { noise, seed }) {
  const { flipScore, isMisread } = loadExperimentLibrary();
  return startProxy(engineUrl, async ({ path, body, pass }) => {
    if (path !== '/v1/chat/completions' || asksForHint(body)) return null;
    const answer = await pass();
    if (answer.status !== 200 || !isMisread(body.messages.at(-1).content, { share: noise, seed })) return answer;
    const [choice] = answer.json.choices;
    const message = { ...choice.message, content: flipScore(choice.message.content) };
    return { ...answer, json: { ...answer.json, choices: [{ ...choice, message }] } };
  });
}

function asksForHint({ messages, response_format: format }) {
  return format?.json_schema?.name === 'hint' || messages.some(({ content }) => content.includes('[HINT_START]'));
}
