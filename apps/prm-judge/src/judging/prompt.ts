import type { AnswerForm, ChatQuestion } from '@app/engines';
import { writeFollowedTurn, type FollowedTurn } from '@app/voting';
import { RUBRIC } from './rubric';
import { VERDICT_FORMS } from './verdict';

/** The messages for a judge. */
export const buildPrompt = (turn: FollowedTurn, form: AnswerForm): ChatQuestion['messages'] => {
  const { instruction, reminder } = VERDICT_FORMS[form];
  return [
    { role: 'system', content: `${RUBRIC}\n\n${instruction}` },
    { role: 'user', content: `${writeFollowedTurn(turn)}\n\n${reminder}` },
  ];
};
