import type { AnswerForm, ChatQuestion } from '@app/engines';

/** What a judge is asked, in either form, and how its answer is read. */
export interface Question<Answer> {
  readonly messages: (form: AnswerForm) => ChatQuestion['messages'];
  /** Sent as `response_format` where the form is a JSON schema. */
  readonly schema: unknown;
  /** The answer in a complete text; null if it is not in the form. */
  readonly read: (form: AnswerForm, text: string) => Answer | null;
}

/** The judge's last reply to a question. */
export interface Reply<Answer> {
  readonly answer: Answer | null;
  readonly text: string;
}

/** Asks one question; all calls ask the same. */
export type Asker<Answer> = (signal: AbortSignal) => Promise<Reply<Answer>>;

/** A question that is written once for all votes. */
export interface Prepared<Answer> extends Pick<Question<Answer>, 'read'> {
  readonly write: (form: AnswerForm) => ChatQuestion;
}

/** Gives the same object again for the same form. */
export const onceForEachForm = (write: Prepared<unknown>['write']): Prepared<unknown>['write'] => {
  const written = new Map<AnswerForm, ChatQuestion>();
  return (form) => {
    const question = written.get(form) ?? write(form);
    written.set(form, question);
    return question;
  };
};
