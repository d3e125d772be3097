import { isRecord } from '@app/chat';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import { describeAnswer } from '../network/describe-answer';
import { objectIn, type Answer } from '../network/http';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';

const eventsIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim());

type Json = Readonly<Record<string, unknown>>;

const choiceIn = (event: string): Json | null => {
  const choices = objectIn(event)?.choices;
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  return isRecord(choice) ? choice : null;
};

/** What to say of an answer to a short chat, asked for as a stream with its usage. */
export const judgeStream = (answer: Pick<Answer, 'status' | 'text' | 'headers'>): Finding => {
  if (answer.status !== 200)
    return failed(
      `a stream is refused: ${describeAnswer(answer)}`,
      'OpenClaw asks for streams only: serve the model with streaming',
    );
  const events = eventsIn(answer.text);
  const choices = events.map(choiceIn).filter((choice) => choice !== null);
  if (choices.length === 0) {
    return failed(
      `asked for a stream, it sends ${events.length === 0 ? 'an answer in one piece' : 'events without choices'}`,
      'OpenClaw asks for streams only: is there a proxy before the server that does not stream?',
    );
  }
  const finish = choices.some(({ finish_reason: reason }) => typeof reason === 'string');
  if (!finish)
    return failed(
      'its stream never says finish_reason',
      'turns would be cut off and not trained on: update the server',
    );
  if (!events.includes('[DONE]'))
    return warning('its stream ends without [DONE]', 'update the server; clients may wait for the end');
  const counted = events.some((event) => isRecord(objectIn(event)?.usage));
  if (!counted)
    return warning('its stream says no usage, though asked to', 'update the server: OpenClaw counts the context by it');
  return ok(`it streams (${choices.length} chunks, usage, [DONE])`);
};

const look = (visit: Visit): Promise<Finding> =>
  eachPolicy(visit, async (url) => judgeStream(await visit.policy.stream(url)));

export const policyStreamCheck: Check = { id: 'policy-stream', title: 'streaming', needs: ['policy-chat'], look };
