import { IsAllowed, IsWholeNumber } from '@app/http';

const MAX_ANSWERS = 16;
const LONGEST_TEXT = 8000;
const TEXTS = ['prompt', 'before', 'after'] as const;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= LONGEST_TEXT;

const isAnswer = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === TEXTS.length &&
  TEXTS.every((name) => isText((value as Readonly<Record<string, unknown>>)[name]));

const areAnswers = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= MAX_ANSWERS && value.every(isAnswer);

/** `POST /v1/policy/answers` */
export class AnswersBody {
  /** The policy version that gave the later answers. */
  @IsWholeNumber(1, Number.MAX_SAFE_INTEGER)
  readonly version!: number;

  /** What was answered to prompts that nobody trains on, before the update and after it. */
  @IsAllowed(
    `a list of 1 to ${MAX_ANSWERS} objects of prompt, before and after, texts of at most ${LONGEST_TEXT} characters`,
    areAnswers,
  )
  readonly answers!: readonly { readonly prompt: string; readonly before: string; readonly after: string }[];
}
