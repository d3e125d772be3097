import { isRecord } from '@app/chat';
import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import { describeAnswer } from '../network/describe-answer';
import { objectIn, type Answer } from '../network/http';
import type { Visit } from '../visit';
import { eachPolicy } from './each-policy';

const WRONG_URL =
  'what answers there is no OpenAI-compatible chat API: mend server.base_url (SGLang, vLLM: http://host:port, with or without /v1)';

/** What to say of an answer to a short chat, asked for in one piece. */
export const judgeChat = (answer: Pick<Answer, 'status' | 'text' | 'headers'>): Finding => {
  const body = objectIn(answer.text);
  const choices = body?.choices;
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  if (answer.status === 200 && isRecord(choice) && isRecord(choice.message)) return ok('it answers a chat');
  const seen = describeAnswer(answer);
  if (answer.status === 200) {
    const what = Array.isArray(choices) ? 'an answer with empty choices' : 'an answer without choices';
    return failed(
      `${what}: ${seen}`,
      body?.error === undefined
        ? WRONG_URL
        : 'the server reports its error under status 200: its message says what to mend, and so does its log',
    );
  }
  if (answer.status === 404 || answer.status === 405) return failed(`no chat API: ${seen}`, WRONG_URL);
  if (answer.status === 429) return failed(seen, 'the server takes no more requests, or the account has none left');
  if (answer.status >= 500) return failed(seen, 'the server is sick: look at its log');
  return failed(seen, 'the server refuses the simplest chat: its message says why');
};

const look = (visit: Visit): Promise<Finding> =>
  eachPolicy(visit, async (url) => judgeChat(await visit.policy.chat(url)));

export const policyChatCheck: Check = { id: 'policy-chat', title: 'policy answers', needs: ['policy-model'], look };
