import type { Score } from '@app/advantage';
import { parseScore, parseScoreJson } from '@app/chat';
import type { AnswerForm } from '@app/engines';

/** One way of asking for a verdict and of reading it. */
export interface VerdictForm {
  /** Ends the system message. Holds no verdict that a judge could repeat by accident. */
  readonly instruction: string;
  /** Ends the user's message, behind everything quoted. */
  readonly reminder: string;
  readonly parse: (text: string) => Score | null;
}

/** The `response_format` that holds a judge to the JSON form. */
export const VERDICT_SCHEMA = {
  type: 'json_schema',
  json_schema: {
    name: 'verdict',
    strict: true,
    schema: {
      type: 'object',
      properties: {
        reason: { type: 'string', description: 'One or two sentences: what in the next state decides' },
        score: { type: 'integer', enum: [1, -1, 0] },
      },
      required: ['reason', 'score'],
      additionalProperties: false,
    },
  },
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
    parse: parseScoreJson,
  },
};

/** The verdict in a judge's complete answer; null if there is none. */
export const readVerdict = (form: AnswerForm, text: string): Score | null => VERDICT_FORMS[form].parse(text);
