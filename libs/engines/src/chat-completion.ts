import { Type, type Static } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { EngineAnswerError } from './engine-errors';

/** What a model said. Thoughts that the server keeps apart (`reasoning_content`) are not in it. */
export interface ChatReply {
  /** '' if there is no content, as after thoughts that were cut off. */
  readonly text: string;
  /** `stop`, `length`, `content_filter`, …; null if the server does not say. */
  readonly finishReason: string | null;
}

const Nullable = Type.Union([Type.String(), Type.Null()]);
/** Some servers send a list of parts, thoughts among them. */
const Parts = Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) }));

const completion = TypeCompiler.Compile(
  Type.Object({
    choices: Type.Array(
      Type.Object({
        message: Type.Object({ content: Type.Optional(Type.Union([Nullable, Parts])) }),
        finish_reason: Type.Optional(Nullable),
      }),
    ),
  }),
);

/**
 * Reads the body of a chat completion. One without choices is an empty reply: the model was asked and said nothing.
 *
 * @throws EngineAnswerError if it is no chat completion
 */
export const readCompletion = (body: string): ChatReply => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new EngineAnswerError('the engine answered with something that is not JSON; is the base URL right?', {
      cause: cause instanceof Error ? cause.name : undefined,
    });
  }
  if (!completion.Check(value)) {
    throw new EngineAnswerError('the engine answered with JSON that is no chat completion; is the base URL right?');
  }
  const [choice] = value.choices;
  return { text: textOf(choice?.message.content ?? ''), finishReason: choice?.finish_reason ?? null };
};

const textOf = (content: string | Static<typeof Parts>): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
