import type { Score } from '@app/advantage';
import type { AnswerForm, ChatQuestion } from '@app/engines';
import { writeFollowedTurn, type FollowedTurn } from './followed-turn';
import { JUDGE_RUBRIC } from './judge-rubric';
import type { Question } from './question';
import { readVerdict, VERDICT_FORMS, VERDICT_SCHEMA } from './verdict';

/** The messages for a judge. */
export const buildPrompt = (turn: FollowedTurn, form: AnswerForm): ChatQuestion['messages'] => {
  const { instruction, reminder } = VERDICT_FORMS[form];
  return [
    { role: 'system', content: `${JUDGE_RUBRIC}\n\n${instruction}` },
    { role: 'user', content: `${writeFollowedTurn(turn)}\n\n${reminder}` },
  ];
};

/** What a judge is asked about a followed turn, and how its verdict is read. */
export const verdictQuestion = (turn: FollowedTurn): Question<Score> => ({
  messages: (form) => buildPrompt(turn, form),
  schema: VERDICT_SCHEMA,
  read: readVerdict,
});
