import { parseHint, parseHintJson, type HintVote } from '@app/chat';
import type { AnswerForm, ChatQuestion } from '@app/engines';
import { writeFollowedTurn, type FollowedTurn } from '@app/voting';
import { RUBRIC } from './rubric';

interface HintForm {
  /** Ends the system message. Holds no decision that a judge could repeat by accident. */
  readonly instruction: string;
  /** Ends the user's message, behind everything quoted. */
  readonly reminder: string;
  readonly parse: (text: string) => HintVote | null;
}

const FORMS: Readonly<Record<AnswerForm, HintForm>> = {
  boxed: {
    instruction:
      'Answer with one or two sentences that say what in the next state decides. Then write the decision in a box, \\boxed{DECISION}, with DECISION replaced by 1 or -1. With decision 1, end with the hint between the marks [HINT_START] and [HINT_END]. Write one box and one hint only.',
    reminder:
      'Now decide. End with \\boxed{DECISION}, with DECISION replaced by 1 or -1, and for 1 with the hint between [HINT_START] and [HINT_END].',
    parse: parseHint,
  },
  json_schema: {
    instruction:
      'Answer with one JSON object and nothing else. Its fields: "reason", one or two sentences that say what in the next state decides; then "decision", the number 1 or -1; then "hint", the hint, or an empty text with decision -1.',
    reminder: 'Now decide. Answer with the JSON object alone: "reason", "decision", then "hint".',
    parse: parseHintJson,
  },
};

/** The `response_format` that holds a judge to the JSON form. */
export const HINT_SCHEMA = {
  type: 'json_schema',
  json_schema: {
    name: 'hint',
    strict: true,
    schema: {
      type: 'object',
      properties: {
        reason: { type: 'string', description: 'One or two sentences: what in the next state decides' },
        decision: { type: 'integer', enum: [1, -1] },
        hint: { type: 'string', description: 'One to three sentences to the assistant; empty with decision -1' },
      },
      required: ['reason', 'decision', 'hint'],
      additionalProperties: false,
    },
  },
} as const;

/** The messages for a judge of hints. */
export const buildHintPrompt = (turn: FollowedTurn, form: AnswerForm): ChatQuestion['messages'] => {
  const { instruction, reminder } = FORMS[form];
  return [
    { role: 'system', content: `${RUBRIC}\n\n${instruction}` },
    { role: 'user', content: `${writeFollowedTurn(turn)}\n\n${reminder}` },
  ];
};

/** The vote in a judge's complete answer; null if there is none. */
export const readHintVote = (form: AnswerForm, text: string): HintVote | null => FORMS[form].parse(text);
