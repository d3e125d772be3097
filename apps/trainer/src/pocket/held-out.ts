import type { HeldOutAnswer } from '@app/contracts';
import { END_ID, type PocketTokenizer } from '@app/pocket-lm';

/** Longest answer, in tokens. */
export const ANSWER_TOKENS = 96;

/** Thrown for a prompt that leaves the model no room for an answer. */
export class HeldOutPromptError extends Error {
  override readonly name = 'HeldOutPromptError';

  constructor(prompt: string, tokens: number, most: number) {
    super(
      `training.held_out_prompts: ${JSON.stringify(prompt.slice(0, 40))} has ${tokens} tokens with the chat template; the pocket model takes at most ${most} before an answer: shorten it`,
    );
  }
}

/** The likeliest answers to prompts, given as token ids: at most so many tokens each. */
export type Answerer = (prompts: readonly (readonly number[])[], maxTokens: number) => readonly (readonly number[])[];

/** Prompts that nobody trains on, and what the weights of two versions in a row say to them. */
export class HeldOut {
  private readonly ids: readonly (readonly number[])[];
  private before: readonly string[] = [];
  private after: readonly string[] | null = null;

  /** @param context tokens that the model takes, answer included. @throws HeldOutPromptError */
  constructor(
    private readonly prompts: readonly string[],
    private readonly tokenizer: Pick<PocketTokenizer, 'promptIds' | 'decode'>,
    context: number,
  ) {
    const most = context - ANSWER_TOKENS;
    this.ids = prompts.map((prompt) => {
      const ids = tokenizer.promptIds([{ role: 'user', content: prompt }]);
      if (ids.length > most) throw new HeldOutPromptError(prompt, ids.length, most);
      return ids;
    });
  }

  /** Asks the weights that serve. */
  askBefore(answer: Answerer): void {
    this.before = this.ask(answer);
    this.after = null;
  }

  /** Asks the weights that follow them. */
  askAfter(answer: Answerer): void {
    this.after = this.ask(answer);
  }

  /** The later weights serve: they are those before the next ones. Returns what both said; null without any later ones. */
  takeOver(): readonly HeldOutAnswer[] | null {
    const { before, after, prompts } = this;
    if (after === null) return null;
    this.before = after;
    this.after = null;
    return prompts.map((prompt, i) => ({ prompt, before: before[i] ?? '', after: after[i] ?? '' }));
  }

  private ask(answer: Answerer): readonly string[] {
    const answers = answer(this.ids, ANSWER_TOKENS);
    return answers.map((ids) => this.tokenizer.decode(ids.at(-1) === END_ID ? ids.slice(0, -1) : ids));
  }
}
