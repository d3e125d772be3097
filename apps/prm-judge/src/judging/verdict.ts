import type { Score } from '@app/advantage';
import { parseScore, parseScoreJson } from '@app/chat';
import type { AnswerForm, ChatReply } from '@app/engines';

/** One way of asking for a verdict and of reading it. */
export interface VerdictForm {
  /** Ends the system message. Holds no verdict that a judge could repeat by accident. */
  readonly instruction: string;
  /** Ends the user's message, behind everything quoted. */
  readonly reminder: string;
  readonly responseFormat?: unknown;
  readonly parse: (text: string) => Score | null;
}

const SCHEMA = {
  type: 'object',
  properties: {
    reason: { type: 'string', description: 'One or two sentences: what in the next state decides' },
    score: { type: 'integer', enum: [1, -1, 0] },
  },
  required: ['reason', 'score'],
  additionalProperties: false,
} as const;

export const VERDICT_FORMS: Readonly<Record<AnswerForm, VerdictForm>> = {
  boxed: {
    instruction:
      'Answer with one or two sentences that say what in the next state decides. Then end with the score in a box, \\boxed{SCORE}, with SCORE replaced by 1, -1 or 0. Write one box only and nothing behind it.',
    reminder: 'Now review the response. End with \\boxed{SCORE}, with SCORE replaced by your score: 1, -1 or 0.',
    parse: parseScore,
  },
  json_schema: {
    instruction:
      'Answer with one JSON object and nothing else. Its fields: "reason", one or two sentences that say what in the next state decides; then "score", the number 1, -1 or 0.',
    reminder: 'Now review the response. Answer with the JSON object alone: "reason", then "score".',
    responseFormat: { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema: SCHEMA } },
    parse: parseScoreJson,
  },
};

/** The verdict in a judge's answer; null if there is none. An answer cut off by its limit has not come to its verdict. */
export const readVerdict = (form: AnswerForm, reply: ChatReply): Score | null =>
  reply.finishReason === 'length' ? null : VERDICT_FORMS[form].parse(reply.text);
