import { END_ID } from '@app/pocket-lm';
import { ANSWER_TOKENS, HeldOut, HeldOutPromptError, type Answerer } from './held-out';

/** One token a letter. */
const TOKENIZER = {
  promptIds: ([message]: readonly { readonly content: string }[]): number[] =>
    Array.from(message!.content, (letter) => letter.codePointAt(0)!),
  decode: (ids: readonly number[]): string => String.fromCodePoint(...ids),
};

/** Says so much behind each prompt. */
const says =
  (text: string, end: readonly number[] = [END_ID]): Answerer =>
  (prompts) =>
    prompts.map((ids) => [...ids, ...TOKENIZER.promptIds([{ content: text }]), ...end]);

const heldOut = (...prompts: string[]): HeldOut => new HeldOut(prompts, TOKENIZER, ANSWER_TOKENS + 5);

describe('HeldOut', () => {
  it('sets what the later weights say beside what those before have said', () => {
    const each = heldOut('a', 'b');
    each.askBefore(says('1'));
    each.askAfter(says('2', []));
    expect(each.takeOver()).toEqual([
      { prompt: 'a', before: 'a1', after: 'a2' },
      { prompt: 'b', before: 'b1', after: 'b2' },
    ]);
  });

  it('goes on from what serves: the later answers are the earlier ones of the next update', () => {
    const each = heldOut('a');
    each.askBefore(says('1'));
    each.askAfter(says('2'));
    each.takeOver();
    each.askAfter(says('3'));
    expect(each.takeOver()).toEqual([{ prompt: 'a', before: 'a2', after: 'a3' }]);
  });

  it('forgets what weights have said that did not go live', () => {
    const each = heldOut('a');
    each.askBefore(says('1'));
    each.askAfter(says('lost'));
    each.askBefore(says('1'));
    expect(each.takeOver()).toBeNull();
  });

  it('asks for answers of a bounded length', () => {
    const asked = jest.fn(says('1'));
    heldOut('ab').askBefore(asked);
    expect(asked).toHaveBeenCalledWith([[97, 98]], ANSWER_TOKENS);
  });

  it('refuses a prompt that leaves no room for an answer, and says which setting to change', () => {
    expect(() => heldOut('short', 'longer')).toThrow(HeldOutPromptError);
    expect(() => heldOut('longer')).toThrow(
      'training.held_out_prompts: "longer" has 6 tokens with the chat template; the pocket model takes at most 5',
    );
  });
});
