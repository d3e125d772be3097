import { readJudgeQuestion } from './judge-question';
import { readReaction } from './reaction';
import type { JsonObject } from '../protocol/json';

const MOST_WISHES = 3;

/** The judge's answer in the form that it is asked for: a score, or a hint of the next state's own words. */
export const judgeAnswer = (body: JsonObject): string => {
  const question = readJudgeQuestion(body);
  const { score, reason, wishes } = readReaction(question);
  if (!question.wantsHint) return question.asJson ? JSON.stringify({ reason, score }) : `${reason} \\boxed{${score}}`;
  const hint = wishes.slice(0, MOST_WISHES).join(' ');
  const decision = hint === '' ? -1 : 1;
  if (question.asJson) return JSON.stringify({ reason, decision, hint });
  return `${reason} \\boxed{${decision}}${hint === '' ? '' : ` [HINT_START]${hint}[HINT_END]`}`;
};
